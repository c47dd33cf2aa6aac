// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/trace_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "trace/import/kineto_json/import.h"
#include "trace/import/perfetto/import.h"
#include "trace/input/byte_source.h"
#include "trace/schema/ledger.h"
#include "trace/session/json_sniffer.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;
constexpr int kMaxDepth = 4;
constexpr size_t kPieceBytes = 64 << 10;
// Metadata before the events: as much as the importer takes for one value.
constexpr uint64_t kMaxHeadBytes = uint64_t{64} << 20;

// What a capture calls its system trace; nothing else tells a file without one readable packet from any other one.
constexpr std::string_view kSystemTrace = "ntrace.pb";

bool named_like_a_trace(const fs::path& path) {
  constexpr auto kEndings = std::to_array<std::string_view>({".json", ".gz", ".zst", ".pb", ".pftrace", ".perfetto-trace"});
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

class FolderWalk {
 public:
  Result<TraceFiles> walk(const std::string& path) {
    found_.folder = true;
    std::error_code error;
    fs::directory_iterator(path, error);
    if (error) return internal_error("cannot read " + path + ": " + error.message());
    auto at = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) visit(&at);
    if (error) return internal_error("cannot read " + path + ": " + error.message());
    // Names that are no links come first: of two names for one file the real one stays.
    std::sort(candidates_.begin(), candidates_.end());
    for (const auto& [link, name] : candidates_) {
      if (is_new(name)) look_at(name);
    }
    std::sort(found_.files.begin(), found_.files.end());
    std::sort(found_.unread.begin(), found_.unread.end(), [](const UnreadFile& a, const UnreadFile& b) { return a.path < b.path; });
    if (!found_.files.empty()) return std::move(found_);
    if (found_.unread.empty()) return not_found("no trace file in the folder " + path);
    return data_loss("no trace file in the folder " + path + " can be read; " + found_.unread[0].path + ": " + found_.unread[0].reason);
  }

 private:
  void visit(fs::recursive_directory_iterator* at) {
    std::error_code error;
    const std::string name = (*at)->path().string();
    if ((*at)->is_directory(error)) {
      if (at->depth() >= kMaxDepth) {
        at->disable_recursion_pending();
      } else if ((*at)->is_symlink(error)) {
        return;  // not followed
      } else if (fs::directory_iterator(name, error); error) {
        found_.unread.push_back({name, "the folder cannot be read: " + error.message()});
      }
    } else if ((*at)->is_regular_file(error)) {
      candidates_.emplace_back((*at)->is_symlink(error), name);
    }
  }

  bool is_new(const std::string& name) {
    struct stat info;
    return stat(name.c_str(), &info) != 0 || seen_.insert({info.st_dev, info.st_ino}).second;
  }

  void look_at(const std::string& name) {
    auto source = input::open_source(name);
    if (!source.ok()) {
      if (named_like_a_trace(name)) unread(name, "it cannot be opened", source.status());
      return;
    }
    std::string piece(kPieceBytes, '\0');
    std::optional<JsonSniffer> json;
    for (uint64_t done = 0; done < kMaxHeadBytes;) {
      size_t size = 0;
      while (size < piece.size()) {
        const auto got = (*source)->read(piece.data() + size, piece.size() - size);
        if (!got.ok()) return unread(name, "it cannot be read", got.status());
        if (*got == 0) break;
        size += *got;
      }
      const std::string_view text(piece.data(), size);
      if (done == 0 && size == 0) return unread_empty(name, **source);
      if (done == 0 && perfetto::looks_like_perfetto(text)) return found_.files.push_back(name);
      if (done == 0 && !kineto_json::looks_like_json(text)) {
        if (fs::path(name).filename() == kSystemTrace) found_.unread.push_back({name, "it does not begin as a system trace does"});
        return;
      }
      if (!json) json.emplace();
      json->add(text);
      if (json->has_events()) return found_.files.push_back(name);
      done += size;
      if (size < piece.size()) break;
    }
    if (json && json->inside_first_value()) found_.unread.push_back({name, "the file ends before its first event"});
  }

  void unread_empty(const std::string& name, const input::ByteSource& source) {
    const std::string_view reason = source.end().reason;
    if (!reason.empty()) found_.unread.push_back({name, std::string(schema::reason_text(reason))});
    else if (named_like_a_trace(name)) found_.unread.push_back({name, "the file is empty"});
  }

  void unread(const std::string& name, const std::string& what, const Status& status) {
    found_.unread.push_back({name, what + ": " + status.message()});
  }

  TraceFiles found_;
  std::vector<std::pair<bool, std::string>> candidates_;  // a link, name
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

Result<TraceFiles> trace_files(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return not_found("no such file: " + path);
  if (error) return internal_error("cannot read " + path + ": " + error.message());
  if (status.type() != fs::file_type::directory) return TraceFiles{{path}, {}, false};
  return FolderWalk().walk(path);
}

}  // namespace lanewise::trace::session
