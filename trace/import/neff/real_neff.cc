// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/real_neff.h"

#include "trace/import/neff/core_reader.h"
#include "trace/import/neff/json_value.h"

namespace lanewise::trace::neff {
namespace {

// Newest of each that was seen: the header, kelf-0.json, its core definitions.
constexpr uint64_t kNewestMajor = 2;
constexpr std::string_view kKnownTarget = "cayman";   // trn2

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
}

}  // namespace

const Queue* Core::queue(std::string_view name) const {
  for (const Queue& q : queues)
    if (q.name == name) return &q;
  return nullptr;
}
const Variable* Core::variable(std::string_view name) const {
  for (const Variable& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}
const TensorInfo* Core::tensor(std::string_view name) const {
  for (const TensorInfo& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}
const DmaBlock* Core::block(isa::Engine engine, std::string_view queue, int64_t id) const {
  const auto found = block_index.find({engine, std::string(queue), id});
  return found == block_index.end() ? nullptr : &engines[static_cast<size_t>(engine)].blocks[found->second];
}

Result<RealNeff> read_real_neff(const record::Neff& neff) {
  if (neff.ours()) return failed_precondition("this NEFF was made by Lanewise, not by neuronx-cc");
  if (neff.header.major > kNewestMajor)
    return unimplemented("NEFF version " + std::to_string(neff.header.major) + "." + std::to_string(neff.header.minor) +
                         " is newer than 2.0, the newest that is known here; use the Lanewise of its time");
  RealNeff out;
  out.header = neff.header;
  Archive archive(neff);
  if (const std::string* info = archive.read("info.json")) out.tool_version = text(parse_json(*info), "tool_version");
  archive.list("neff.json");

  // The list of cores: kelf-0.json, or any other of that name.
  for (const record::TarMember& m : neff.members) {
    if (m.name.rfind("kelf", 0) != 0 || m.name.find(".json") == std::string::npos) continue;
    const Json kelf = parse_json(*archive.read(m.name));
    if (!kelf.is_object()) {
      out.problems.push_back(m.name + " is no JSON object");
      continue;
    }
    out.target = text(kelf, "target");
    for (const Json& graph : member(kelf, "graphs")) {
      const std::string definition = text(graph, "definition");
      if (definition.empty()) {
        out.problems.push_back(m.name + ": a graph names no definition");
        continue;
      }
      out.cores.push_back(read_core(archive, folder_of(definition), definition, &out.problems));
    }
  }
  for (const record::TarMember& m : neff.members)
    if (m.name.rfind("debug_info/", 0) == 0) archive.list(m.name);
  out.members = archive.members();
  if (out.cores.empty())
    return data_loss("no core can be read: the archive holds " + std::to_string(neff.members.size()) +
                     " members and no kelf-0.json that lists its cores");
  if (out.target != kKnownTarget)
    out.problems.push_back("this NEFF is made for target \"" + out.target + "\"; only cayman (trn2) was seen, so its instructions may mean something else");
  return out;
}

}  // namespace lanewise::trace::neff
