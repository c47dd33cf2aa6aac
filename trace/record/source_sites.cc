// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/source_sites.h"

#include <mutex>
#include <utility>

#include "isa/table.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {
namespace {

constexpr size_t kMost = 1'000'000;

// Field numbers, in the order of docs/formats/launch_sources.md.
enum Field : uint32_t { kProducer = 1, kVersion = 2, kTable = 3, kSite = 4 };

template <typename T>
class Numbered {
 public:
  uint32_t add(T value) {
    const std::lock_guard lock(mutex_);
    if (all_.size() >= kMost) return 0;
    all_.push_back(std::make_shared<const T>(std::move(value)));
    return static_cast<uint32_t>(all_.size());
  }
  std::shared_ptr<const T> find(uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return number == 0 || number > all_.size() ? nullptr : all_[number - 1];
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const T>> all_;
};

// Never destroyed: a writer thread may still ask while the process ends.
Numbered<SourceTable>& tables() {
  static auto* const all = new Numbered<SourceTable>;
  return *all;
}
Numbered<SourceSite>& sites() {
  static auto* const all = new Numbered<SourceSite>;
  return *all;
}

Status read_frame(std::string_view bytes, SourceFrame* frame) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: frame->file = f.bytes; break;
      case 2: frame->line = static_cast<int32_t>(f.value); break;
      case 3: frame->function = f.bytes; break;
    }
  }
  return ok_status();
}

Status read_node(std::string_view bytes, SourceNode* node) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: node->name = f.bytes; break;
      case 2: node->op = f.bytes; break;
      case 3: node->module = f.bytes; break;
      case 4: node->module_class = f.bytes; break;
      case 5: node->backward = f.value != 0; break;
      case 6: node->own = static_cast<uint32_t>(f.value) - 1; break;   // 0 becomes kNoNode
      case 7: node->frames.push_back(static_cast<uint32_t>(f.value)); break;
    }
  }
  return ok_status();
}

Status read_table(std::string_view bytes, LaunchSources* out) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  uint32_t number = 0;
  SourceTable table;
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: number = static_cast<uint32_t>(f.value); break;
      case 2: table.graph = f.bytes; break;
      case 3: LW_RETURN_IF_ERROR(read_frame(f.bytes, &table.frames.emplace_back())); break;
      case 4: LW_RETURN_IF_ERROR(read_node(f.bytes, &table.nodes.emplace_back())); break;
    }
  }
  for (SourceNode& node : table.nodes) {
    std::vector<uint32_t> there;
    uint32_t own = kNoNode;
    for (size_t i = 0; i < node.frames.size(); ++i) {
      if (node.frames[i] >= table.frames.size()) continue;
      if (i == node.own) own = static_cast<uint32_t>(there.size());
      there.push_back(node.frames[i]);
    }
    node.frames = std::move(there);
    node.own = own;
  }
  out->tables.emplace(number, std::move(table));   // the first of a number: sites were checked against it
  return ok_status();
}

Status read_stream(std::string_view bytes, SourceSite* site) {
  std::vector<ProtoField> fields, run;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  std::vector<SourceRun> runs;
  std::string_view engine;
  for (const ProtoField& f : fields) {
    if (f.number == 1) engine = f.bytes;
    if (f.number != 2) continue;
    LW_RETURN_IF_ERROR(read_proto(f.bytes, &run));
    SourceRun& r = runs.emplace_back();
    for (const ProtoField& g : run) {
      if (g.number == 1) r.node = static_cast<uint32_t>(g.value) - 1;
      if (g.number == 2) r.count = static_cast<uint32_t>(g.value);
    }
    run.clear();
  }
  for (int e = 0; e < isa::kEngineCount; ++e) {
    if (isa::engine_name(static_cast<isa::Engine>(e)) == engine) site->streams[static_cast<size_t>(e)] = std::move(runs);
  }
  return ok_status();
}

Status read_site(std::string_view bytes, LaunchSources* out) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  uint32_t number = 0;
  SourceSite site;
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: number = static_cast<uint32_t>(f.value); break;
      case 2: site.table = static_cast<uint32_t>(f.value); break;
      case 3: site.program_hash = f.value; break;
      case 4: site.program = f.bytes; break;
      case 5: LW_RETURN_IF_ERROR(read_stream(f.bytes, &site)); break;
    }
  }
  const auto table = out->tables.find(site.table);
  const size_t nodes = table == out->tables.end() ? 0 : table->second.nodes.size();
  for (auto& stream : site.streams) {
    for (SourceRun& run : stream) {
      if (run.node >= nodes) run.node = kNoNode;
    }
  }
  out->sites[number] = std::move(site);
  return ok_status();
}

}  // namespace

SourceSite make_site(uint32_t table, const isa::Program& program, uint64_t hash, const std::vector<uint32_t>& debug_nodes) {
  SourceSite site;
  site.table = table;
  site.program_hash = hash;
  site.program = program.name;
  for (size_t e = 0; e < site.streams.size(); ++e) {
    std::vector<SourceRun>& runs = site.streams[e];
    for (const isa::Instruction& in : program.streams[e]) {
      const uint32_t node = in.debug < debug_nodes.size() ? debug_nodes[in.debug] : kNoNode;
      if (runs.empty() || runs.back().node != node) runs.push_back({node, 0});
      ++runs.back().count;
    }
  }
  return site;
}

uint32_t add_source_table(SourceTable table) { return tables().add(std::move(table)); }
uint32_t add_source_site(SourceSite site) { return sites().add(std::move(site)); }
std::shared_ptr<const SourceTable> source_table(uint32_t number) { return tables().find(number); }
std::shared_ptr<const SourceSite> source_site(uint32_t number) { return sites().find(number); }

void begin_sources(std::string* out) {
  ProtoMessage m;
  m.text(kProducer, "lanewise").uint(kVersion, kSourcesVersion);
  out->append(m.bytes());
}

void append_table(uint32_t number, const SourceTable& table, std::string* out) {
  ProtoMessage m, part;
  m.uint(1, number).text(2, table.graph);
  for (const SourceFrame& frame : table.frames) {
    part.clear();
    part.text(1, frame.file).uint(2, static_cast<uint64_t>(frame.line)).text(3, frame.function);
    m.message(3, part);
  }
  for (const SourceNode& node : table.nodes) {
    part.clear();
    part.text(1, node.name).text(2, node.op);
    if (!node.module.empty()) part.text(3, node.module);
    if (!node.module_class.empty()) part.text(4, node.module_class);
    if (node.backward) part.uint(5, 1);
    if (node.own != kNoNode) part.uint(6, node.own + 1);
    for (const uint32_t frame : node.frames) part.uint(7, frame);
    m.message(4, part);
  }
  m.append_to(out, kTable);
}

void append_site(uint32_t number, const SourceSite& site, std::string* out) {
  ProtoMessage m, stream;
  m.uint(1, number).uint(2, site.table).uint(3, site.program_hash).text(4, site.program);
  for (size_t e = 0; e < site.streams.size(); ++e) {
    if (site.streams[e].empty()) continue;
    stream.clear();
    stream.text(1, isa::engine_name(static_cast<isa::Engine>(e)));
    for (const SourceRun& run : site.streams[e]) stream.pair(2, 1, run.node == kNoNode ? 0 : run.node + 1, 2, run.count);
    m.message(5, stream);
  }
  m.append_to(out, kSite);
}

Status read_sources(std::string_view bytes, LaunchSources* out) {
  *out = LaunchSources{};
  std::vector<ProtoField> fields;
  const Status damage = read_proto(bytes, &fields);
  bool ours = false;
  for (const ProtoField& f : fields) {
    Status inner = ok_status();
    switch (f.number) {
      case kProducer: ours = f.bytes == "lanewise"; break;
      case kVersion:
        if (f.value > kSourcesVersion)
          return unimplemented(std::string(kSourcesFile) + " has version " + std::to_string(f.value) + ", this reader knows " +
                               std::to_string(kSourcesVersion) + "; use a newer Lanewise");
        break;
      case kTable: inner = read_table(f.bytes, out); break;
      case kSite: inner = read_site(f.bytes, out); break;
    }
    if (!inner.ok()) return inner.with_context("field at byte " + std::to_string(f.offset));
  }
  if (!damage.ok()) return damage;
  if (!ours) return data_loss(std::string("no field at byte 0 on says that Lanewise wrote this ") + kSourcesFile);
  return ok_status();
}

}  // namespace lanewise::trace::record
