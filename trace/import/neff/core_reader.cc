// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/core_reader.h"

#include <algorithm>
#include <optional>

#include "trace/import/neff/debug_names.h"
#include "trace/import/neff/json_value.h"

namespace lanewise::trace::neff {
namespace {

// Of def.json: the prefix of an engine's keys, which is also what owns a queue.
struct EngineKey {
  isa::Engine engine;
  std::string_view key;
};
constexpr EngineKey kEngines[] = {{isa::Engine::pe, "pe"},         {isa::Engine::vector, "dve"}, {isa::Engine::scalar, "act"},
                                  {isa::Engine::gpsimd, "pool"},   {isa::Engine::sync, "sp"}};

std::optional<isa::Engine> engine_of(std::string_view key) {
  for (const EngineKey& e : kEngines)
    if (e.key == key) return e.engine;
  return std::nullopt;
}

class CoreReader {
 public:
  CoreReader(Archive& archive, std::string_view folder, std::vector<std::string>* problems)
      : archive_(archive), problems_(*problems) {
    core_.folder = folder;
  }

  Core run(std::string_view definition) {
    const std::string* bytes = needed(std::string(definition.substr(definition.rfind('/') + 1)));
    if (bytes == nullptr) return std::move(core_);
    const Json def = parse_json(*bytes);
    if (!def.is_object()) {
      lacks(std::string(definition) + " is no JSON object");
      return std::move(core_);
    }
    queues(member(def, "dma_queue"));
    variables(member(def, "var"));
    for (const Json& r : member(def, "runtime_statebuffer_reservation")) {
      int64_t end = 0;
      if (!__builtin_add_overflow(integer(r, "offset"), integer(r, "size"), &end) && end > core_.sbuf_partition_bytes) core_.sbuf_partition_bytes = end;
    }
    for (const EngineKey& e : kEngines) engine(e, def);
    if (std::all_of(core_.engines.begin(), core_.engines.end(), [](const EngineCode& code) { return code.member.empty(); }))
      lacks(std::string(definition) + " names no binary of any engine");
    tensors();
    constants();
    list_the_rest();
    return std::move(core_);
  }

 private:
  std::string path(std::string_view name) const { return core_.folder.empty() ? std::string(name) : core_.folder + "/" + std::string(name); }
  void problem(std::string sentence) { problems_.push_back(std::move(sentence)); }
  void lacks(std::string sentence) {
    core_.missing.push_back(sentence);
    problem(std::move(sentence));
  }
  const std::string* needed(std::string_view name) {
    const std::string* bytes = archive_.read(path(name));
    if (bytes == nullptr) lacks("the archive has no member " + path(name));
    return bytes;
  }
  const std::string* file(std::string_view name) {
    const std::string* bytes = archive_.read(path(name));
    if (bytes == nullptr) problem("the archive has no member " + path(name));
    return bytes;
  }

  void queues(const Json& list) {
    if (!list.is_object()) return;
    for (const auto& [name, q] : list.items()) {
      Queue out{name, text(q, "type"), isa::Engine::sync, integer(q, "num_queues"), integers(q, "semaphore_set")};
      const auto owner = engine_of(text(q, "owner"));
      if (owner) out.owner = *owner;
      else problem(path("def.json") + ": queue " + name + " is owned by \"" + text(q, "owner") + "\", which is no engine");
      core_.queues.push_back(std::move(out));
    }
  }

  void variables(const Json& list) {
    if (!list.is_object()) return;
    for (const auto& [name, v] : list.items())
      core_.variables.push_back({name, text(v, "type"), integer(v, "size"), text(v, "file_name")});
  }

  void engine(const EngineKey& e, const Json& def) {
    EngineCode& out = core_.engines[static_cast<size_t>(e.engine)];
    out.engine = e.engine;
    const std::string key(e.key);
    if (const std::string json = text(def, key); !json.empty()) lists(json, &out);
    const std::string binary = text(def, key + "_instr");
    if (binary.empty()) return problem(path("def.json") + " names no binary of engine " + std::string(isa::engine_name(e.engine)));
    out.member = path(binary);
    if (const std::string* bytes = needed(binary)) {
      const auto* p = reinterpret_cast<const uint8_t*>(bytes->data());
      const size_t n = bytes->size() / isa::trn2::kInstructionBytes;
      out.instructions.reserve(n);
      for (size_t i = 0; i < n; ++i) out.instructions.push_back(isa::trn2::decode(p + i * isa::trn2::kInstructionBytes, e.engine));
      out.rest_bytes = static_cast<int64_t>(bytes->size() % isa::trn2::kInstructionBytes);
      if (out.rest_bytes != 0) lacks(out.member + " ends with " + std::to_string(out.rest_bytes) + " bytes that are no whole instruction");
    }
    names(def, key, &out);
  }

  // The engine's JSON: DMA descriptors, table sets.
  void lists(const std::string& name, EngineCode* out) {
    const std::string* bytes = needed(name);
    if (bytes == nullptr) return;
    const Json json = parse_json(*bytes);
    if (!json.is_object()) return lacks(path(name) + " is no JSON object");
    for (const Json& set : member(json, "activation_function_sets")) out->table_sets.push_back(text(set));
    for (const Json& d : member(json, "dma")) {
      DmaBlock block;
      block.name = text(d, "#comment");
      block.queue = text(d, "queue");
      block.id = integer(d, "id", -1);
      block.semaphore = integer(d, "semaphore", -1);
      for (const Json& element : member(d, "desc")) {
        DmaElement e;
        e.operation = text(element, "op");
        e.from = side(element, "from");
        e.to = side(element, "to");
        block.elements.push_back(std::move(e));
      }
      core_.block_index.emplace(std::tuple(out->engine, block.queue, block.id), out->blocks.size());
      out->blocks.push_back(std::move(block));
    }
  }
  static DmaSide side(const Json& element, const std::string& key) {
    return {text(element, key), text(element, key + "_dtype"), integer(element, key + "_off"),
            integers(element, key + "_sizes"), integers(element, key + "_steps")};
  }

  void names(const Json& def, const std::string& key, EngineCode* out) {
    const Json &assembly = member(def, key + "_asm_dbg"), &backend = member(def, key + "_dbg");
    if (!assembly.is_array() || assembly.empty() || !backend.is_array() || backend.empty()) return;
    const std::string *a = file(text(assembly[0])), *b = file(text(backend[0]));
    if (a == nullptr || b == nullptr) return;
    const std::string* tensors = tensor_level();
    auto found = instruction_names(*a, *b, tensors != nullptr ? std::string_view(*tensors) : std::string_view());
    if (!found.ok()) return problem(path(text(assembly[0])) + ": " + found.status().message());
    out->names = std::move(found).value();
    out->names.resize(out->instructions.size());
  }

  // One for the program, with the number of a subgraph at its end.
  const std::string* tensor_level() {
    for (const record::TarMember& m : archive_.all())
      if (m.name.rfind("debug_info/debug_info_penguin.dbg", 0) == 0) return archive_.read(m.name);
    return nullptr;
  }

  void tensors() {
    const std::string* bytes = archive_.read(path("tensor_map.json"));
    if (bytes == nullptr) return;
    const Json map = parse_json(*bytes);
    if (!map.is_object()) return problem(path("tensor_map.json") + " is no JSON object");
    for (const auto& [name, t] : map.items()) {
      const Json& constant = member(t, "is_const");
      core_.tensors.push_back({name, text(t, "dtype"), text(t, "kind"), integers(t, "tf_shape"), constant.is_boolean() && constant.get<bool>()});
    }
  }

  void constants() {
    for (const Variable& v : core_.variables) {
      if (v.file.empty()) continue;
      const std::string* bytes = file(v.file);
      if (bytes == nullptr) continue;
      auto npy = read_npy(*bytes);
      if (npy.ok()) core_.constants.emplace(v.name, std::move(npy).value());
      else problem(path(v.file) + ": " + npy.status().message());
    }
  }

  void list_the_rest() {
    for (const record::TarMember& m : archive_.all()) {
      if (m.name.rfind(core_.folder + "/", 0) != 0) continue;
      const std::string_view name = std::string_view(m.name).substr(core_.folder.size() + 1);
      const auto ends = [&](std::string_view end) { return name.size() >= end.size() && name.substr(name.size() - end.size()) == end; };
      const bool tables = ends("_table.bin") || ends("_bkt.bin") || ends("_ctrl.bin") || name == "act_info.json";
      bool profile = false;   // of a table set: piecewise functions
      for (const std::string& set : core_.engines[static_cast<size_t>(isa::Engine::scalar)].table_sets) profile = profile || name == set + ".json";
      if (tables || profile || ends(".dbg") || ends(".npy")) archive_.list(m.name);
    }
  }

  Archive& archive_;
  std::vector<std::string>& problems_;
  Core core_;
};

}  // namespace

Archive::Archive(const record::Neff& neff) : neff_(neff), use_(neff.members.size(), MemberUse::unknown) {}

const std::string* Archive::read(std::string_view name) {
  for (size_t i = 0; i < use_.size(); ++i)
    if (neff_.members[i].name == name) return use_[i] = MemberUse::read, &neff_.members[i].bytes;
  return nullptr;
}
void Archive::list(std::string_view name) {
  for (size_t i = 0; i < use_.size(); ++i)
    if (neff_.members[i].name == name && use_[i] == MemberUse::unknown) use_[i] = MemberUse::listed;
}
std::vector<Member> Archive::members() const {
  std::vector<Member> out;
  for (size_t i = 0; i < use_.size(); ++i)
    out.push_back({neff_.members[i].name, static_cast<int64_t>(neff_.members[i].bytes.size()), use_[i]});
  return out;
}

Core read_core(Archive& archive, std::string_view folder, std::string_view definition, std::vector<std::string>* problems) {
  return CoreReader(archive, folder, problems).run(definition);
}

}  // namespace lanewise::trace::neff
