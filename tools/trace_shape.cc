// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_shape.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/new_file.h"
#include "trace/input/byte_source.h"
#include "trace/session/session.h"

namespace lanewise::tools {
namespace {

using trace::schema::EventTable;
using trace::schema::Row;

// A part of an event's text that differs from round to round.
struct Hole {
  enum class Kind : uint8_t { name, time, id } kind;
  uint32_t begin, size;  // in the event
};
constexpr auto kIdKeys = std::to_array<std::string_view>({"id", "correlation", "External id", "external id", "Ev Idx", "Python id",
                                                          "Python parent id", "Record function id", "graph node id"});

// Finds the holes of one event and the size of its args. Events were read by the importer before: the text is JSON, or close
// to it; where it is not, holes are missed and the event is copied as it stands.
class EventScan {
 public:
  EventScan(std::string_view text, std::vector<Hole>* holes) : text_(text), holes_(holes) {
    holes_->clear();
    object(0);
  }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }
  std::string_view string() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const size_t end = std::min(at_, text_.size());
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, end - begin);
  }
  void value() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return;
      if (c == '"') {
        string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 || (peek() != ',' && peek() != '}' && peek() != ']' && peek() != '\0'));
  }
  void object(int depth) {
    ++at_;
    for (;;) {
      blanks();
      if (peek() != '"') return;
      const std::string_view key = string();
      blanks();
      if (peek() != ':') return;
      ++at_;
      blanks();
      const size_t begin = at_;
      if (depth == 0 && key == "args" && peek() == '{') {
        object(1);
        args_bytes_ = static_cast<uint32_t>(at_ - begin);
      } else {
        value();
        hole(depth, key, begin);
      }
      blanks();
      if (peek() != ',') {
        if (peek() == '}') ++at_;
        return;
      }
      ++at_;
    }
  }
  void hole(int depth, std::string_view key, size_t begin) {
    size_t end = at_;
    const bool quoted = text_[begin] == '"';
    if (quoted) ++begin, --end;
    while (end > begin && static_cast<unsigned char>(text_[end - 1]) <= ' ') --end;
    const bool number = end > begin && std::all_of(text_.begin() + static_cast<ptrdiff_t>(begin), text_.begin() + static_cast<ptrdiff_t>(end),
                                                   [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    const Hole h{Hole::Kind::id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
    if (depth == 0 && key == "name" && quoted) holes_->push_back({Hole::Kind::name, h.begin, h.size});
    if (depth == 0 && key == "ts" && number) holes_->push_back({Hole::Kind::time, h.begin, h.size});
    const bool whole = number && text_.substr(begin, end - begin).find('.') == text_.npos;
    if (whole && h.size < 18 && std::find(kIdKeys.begin(), kIdKeys.end(), key) != kIdKeys.end()) holes_->push_back(h);
  }

  const std::string_view text_;
  std::vector<Hole>* holes_;
  size_t at_ = 0;
  uint32_t args_bytes_ = 0;
};

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

// Letters become other letters by one fixed exchange, so equal names stay equal and different ones different. What rules of
// producers and analyses look at (a step, a collective) keeps its start.
class Renamer {
 public:
  explicit Renamer(uint64_t seed) {
    for (int i = 0; i < 26; ++i) letters_[static_cast<size_t>(i)] = static_cast<char>(i);
    for (uint64_t i = 25; i > 0; --i) std::swap(letters_[i], letters_[mix(seed + i) % (i + 1)]);
  }
  void append(std::string_view name, std::string* out) const {
    size_t keep = 0;
    for (std::string_view start : {"ProfilerStep#", "ncclDevKernel_", "ncclKernel_", "aten::", "Memcpy", "Memset", "cuda", "cu", "hip"}) {
      if (name.starts_with(start)) keep = std::max(keep, start.size());
    }
    out->append(name.substr(0, keep));
    for (size_t i = keep; i < name.size(); ++i) {
      const char c = name[i];
      if (c == '\\' && i + 1 < name.size()) {  // an escape stays
        out->append(name.substr(i, 2));
        ++i;
        if (name[i] == 'u') out->append(name.substr(i + 1, 4)), i += std::min<size_t>(4, name.size() - 1 - i);
      } else if (c >= 'a' && c <= 'z') {
        *out += static_cast<char>('a' + letters_[static_cast<size_t>(c - 'a')]);
      } else if (c >= 'A' && c <= 'Z') {
        *out += static_cast<char>('A' + letters_[static_cast<size_t>(c - 'A')]);
      } else {
        *out += c;
      }
    }
  }

 private:
  std::array<char, 26> letters_{};
};

class Output {
 public:
  static Result<Output> create(const std::string& path, const trace::session::Session& inputs) {
    LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(path, inputs));
    Output output(std::move(file), path);
    if (path.ends_with(".gz")) {
      output.gzip_ = gzdopen(dup(output.file_.descriptor()), "wb3");
      if (output.gzip_ == nullptr) return resource_exhausted("cannot write " + path);
      gzbuffer(output.gzip_, 1 << 20);
    }
    return output;
  }
  Output(Output&& other) noexcept : file_(std::move(other.file_)), path_(std::move(other.path_)), gzip_(std::exchange(other.gzip_, nullptr)) {}
  Output& operator=(Output&&) = delete;
  ~Output() {
    if (gzip_ != nullptr) gzclose(gzip_);
  }
  Status write(std::string_view text) {
    bytes_ += text.size();
    if (gzip_ == nullptr) return file_.write(text);
    const bool done = gzwrite(gzip_, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
    return done ? ok_status() : resource_exhausted("cannot write " + path_ + ": " + std::strerror(errno));
  }
  Status close() {
    if (gzip_ != nullptr && gzclose(std::exchange(gzip_, nullptr)) != Z_OK) return resource_exhausted("cannot write " + path_ + ": " + std::strerror(errno));
    return file_.close();
  }
  uint64_t bytes() const { return bytes_; }

 private:
  Output(NewFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  NewFile file_;
  std::string path_;
  gzFile gzip_ = nullptr;
  uint64_t bytes_ = 0;
};

Result<std::string> text_of(const std::string& path) {
  LW_ASSIGN_OR_RETURN(auto source, trace::input::open_source(path));
  std::string text;
  for (size_t done = 0;;) {
    text.resize(done + (size_t{8} << 20));
    LW_ASSIGN_OR_RETURN(const size_t got, source->read(text.data() + done, text.size() - done));
    done += got;
    if (got == 0) return text.resize(done), text;
  }
}

// ts + shift with as many digits behind the point as ts had.
void append_time(int64_t ts_ns, int64_t shift_ns, std::string_view was, std::string* out) {
  const int64_t ns = ts_ns + shift_ns;
  const size_t point = was.find('.');
  const size_t digits = point == was.npos ? 0 : std::min<size_t>(3, was.size() - point - 1);
  char text[48];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000), static_cast<long long>(ns % 1000));
  std::string_view shown = text;
  shown.remove_suffix(digits == 0 ? 4 : 3 - digits);
  out->append(shown);
}

}  // namespace

Result<Generated> generate_trace(const GenerateOptions& options) {
  LW_ASSIGN_OR_RETURN(auto session, trace::session::Session::open(options.like));
  if (session->files().size() != 1 || session->files()[0].file.format != "kineto_json") {
    return invalid_argument(options.like + " is no JSON trace");
  }
  const trace::schema::TraceFile& real = session->files()[0].file;
  LW_ASSIGN_OR_RETURN(const std::string text, text_of(options.like));
  const EventTable& events = real.events;
  if (events.rows() == 0) return invalid_argument(options.like + " holds no events");

  Generated out;
  out.real.events = events.rows();
  out.real.text_bytes = text.size();
  out.real.stored_bytes = real.file_bytes;
  std::vector<Hole> holes;
  std::vector<Hole> all;  // of all events, one after the other
  std::vector<uint32_t> hole_count(events.rows());
  std::vector<int64_t> times;
  std::unordered_set<uint32_t> names;
  int64_t largest_id = 0;
  for (Row row = 0; row < events.rows(); ++row) {
    const std::string_view event = std::string_view(text).substr(events.offset[row], events.length[row]);
    const EventScan scan(event, &holes);
    hole_count[row] = static_cast<uint32_t>(holes.size());
    all.insert(all.end(), holes.begin(), holes.end());
    out.real.event_bytes += event.size();
    out.real.args_bytes += scan.args_bytes();
    names.insert(events.name[row]);
    for (const Hole& h : holes) {
      if (h.kind == Hole::Kind::id) largest_id = std::max<int64_t>(largest_id, std::stoll(std::string(event.substr(h.begin, h.size))));
    }
    if (events.phase[row] == 'X' && !events.has(row, trace::schema::kNoTime)) times.push_back(events.ts_ns[row] + events.dur_ns[row]);
  }
  out.real.unique_names = names.size();
  // A few events lie far from the rest in many files: the span is that of the middle 99.8 %.
  int64_t span_ns = 1'000'000;
  if (!times.empty()) {
    std::sort(times.begin(), times.end());
    span_ns += times[times.size() - 1 - times.size() / 1000] - times[times.size() / 1000];
  }
  const int64_t id_step = largest_id < 1'000'000'000 ? largest_id + 1 + static_cast<int64_t>(options.seed % 97) : 1'000'000'007;

  LW_ASSIGN_OR_RETURN(Output file, Output::create(options.out, *session));
  std::string buffer = "{";
  for (std::string_view key : {"schemaVersion", "deviceProperties", "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds"}) {
    if (const auto json = real.metadata_json(key); !json.empty()) buffer += "\"" + std::string(key) + "\": " + std::string(json) + ",\n";
  }
  buffer += "\"traceEvents\": [\n";
  const std::string_view between = text.find("},\n") != text.npos ? ",\n  " : ",";
  const Renamer renamer(options.seed);
  names.clear();
  for (uint64_t round = 0; out.made.events < options.events; ++round) {
    size_t next_hole = 0;
    const auto shift_ns = static_cast<int64_t>(round) * span_ns + static_cast<int64_t>(mix(options.seed) % 1'000'000);
    for (Row row = 0; row < events.rows() && out.made.events < options.events; ++row) {
      const std::string_view event = std::string_view(text).substr(events.offset[row], events.length[row]);
      if (out.made.events > 0) buffer += between;
      const size_t begin = buffer.size();
      size_t from = 0;
      for (uint32_t i = 0; i < hole_count[row]; ++i) {
        const Hole& h = all[next_hole++];
        buffer += event.substr(from, h.begin - from);
        const std::string_view was = event.substr(h.begin, h.size);
        switch (h.kind) {
          case Hole::Kind::name: renamer.append(was, &buffer); break;
          case Hole::Kind::time: append_time(events.ts_ns[row], shift_ns, was, &buffer); break;
          case Hole::Kind::id: buffer += std::to_string(std::stoll(std::string(was)) + static_cast<int64_t>(round) * id_step); break;
        }
        from = h.begin + h.size;
      }
      buffer += event.substr(from);
      ++out.made.events;
      out.made.event_bytes += buffer.size() - begin;
      out.made.args_bytes += EventScan(std::string_view(buffer).substr(begin), &holes).args_bytes();
      names.insert(events.name[row]);
      if (buffer.size() <= (size_t{4} << 20)) continue;
      LW_RETURN_IF_ERROR(file.write(buffer));
      buffer.clear();
    }
  }
  buffer += "\n]}\n";
  LW_RETURN_IF_ERROR(file.write(buffer));
  LW_RETURN_IF_ERROR(file.close());
  out.made.unique_names = names.size();
  out.made.text_bytes = file.bytes();
  return out;
}

}  // namespace lanewise::tools
