// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/instructions.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

struct Sum {
  int64_t runs = 0, flops = 0, elements = 0, read = 0, written = 0, dma_bytes = 0;
  Picos time, active, active_within;   // within: the part of what is looked at
  std::map<isa::Engine, Picos> engines;
};

// Key of a run: texts that become columns, those of integer columns as digits, or empty for null. The union is taken per engine, then
// added: engines work side by side.
using Key = std::vector<std::string>;

class Groups {
 public:
  Groups(const Subject& subject, std::function<Key(const device::Instruction*, isa::Engine)> key)
      : subject_(subject), profile_(subject.profile), looked_at_(subject.looked_at()), key_(std::move(key)) {}

  // `engines`: with a last column that names the engines of the rows, most time first.
  Table table(const std::string& name, std::vector<analysis::ColumnSpec> columns, bool engines = false) {
    collect();
    const size_t keys = columns.size();
    for (const auto& c : std::initializer_list<analysis::ColumnSpec>{{"runs", ColumnType::count}, {"time_ps", ColumnType::ps}, {"active_ps", ColumnType::ps}, {"share", ColumnType::real},
                                                                     {"flops", ColumnType::count}, {"elements", ColumnType::count}, {"read_bytes", ColumnType::bytes},
                                                                     {"written_bytes", ColumnType::bytes}, {"dma_bytes", ColumnType::bytes}}) columns.push_back(c);
    if (engines) columns.push_back({"engines", ColumnType::text});
    Table table(name, std::move(columns));
    const auto all = static_cast<double>((looked_at_.end - looked_at_.begin).value);
    for (const auto& [key, sum] : sums_) {
      auto row = table.row();
      for (size_t k = 0; k < keys; ++k) {
        if (key[k].empty()) row.null();
        else if (table.columns()[k].type == ColumnType::text) row.text(key[k]);
        else row.integer(number(key[k]));
      }
      row.integer(sum.runs).integer(sum.time.value).integer(sum.active.value).real(all == 0 ? 0 : static_cast<double>(sum.active_within.value) / all)
          .integer(sum.flops).integer(sum.elements).integer(sum.read).integer(sum.written).integer(sum.dma_bytes);
      if (engines) row.text(engines_text(sum));
    }
    table.sort(keys + 1, true);
    return table;
  }

 private:
  static int64_t number(const std::string& digits) {
    int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  static std::string engines_text(const Sum& sum) {
    std::vector<std::pair<int64_t, std::string_view>> used;
    for (const auto& [engine, time] : sum.engines) used.emplace_back(-time.value, lane_name(engine));
    std::sort(used.begin(), used.end());
    std::string text;
    for (const auto& [time, lane] : used) text += (text.empty() ? "" : ", ") + std::string(lane);
    return text;
  }

  void collect() {
    for (const Lane& lane : lanes(profile_)) {
      std::map<Key, std::vector<Interval>> spans;
      for (const uint32_t r : lane.runs) {
        const device::InstructionRun& run = profile_.instructions[r];
        if (!subject_.holds(run.begin)) continue;
        const device::Instruction* in = run.instruction == kNone ? nullptr : &profile_.program.instructions[run.instruction];
        const Key key = key_(in, run.engine);
        Sum& sum = sums_[key];
        ++sum.runs;
        sum.time += run.end - run.begin;
        sum.engines[run.engine] += run.end - run.begin;
        spans[key].push_back({run.begin, run.end});
        if (in == nullptr) continue;
        sum.flops += in->flops;
        sum.elements += in->elements;
        sum.read += in->bytes_read;
        sum.written += in->bytes_written;
      }
      for (auto& [key, s] : spans) {
        const std::vector<Interval> active = merged(std::move(s));
        Sum& sum = sums_[key];
        sum.active += total(active);
        sum.active_within += total_overlap(active, {looked_at_});
      }
    }
    for (const device::DmaRun& run : profile_.dmas) {
      if (!subject_.holds(run.begin)) continue;
      const device::Instruction* in = run.trigger == kNone ? nullptr : &profile_.program.instructions[run.trigger];
      if (in != nullptr) sums_[key_(in, in->engine)].dma_bytes += run.bytes;
    }
  }

  const Subject& subject_;
  const device::DeviceProfile& profile_;
  const Interval looked_at_;
  std::function<Key(const device::Instruction*, isa::Engine)> key_;
  std::map<Key, Sum> sums_;
};

const char* or_dash(const std::string& text) { return text.empty() ? "-" : text.c_str(); }

// Of a range only the instructions that did something in it.
Table instructions_table(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  const device::Program& program = profile.program;
  std::vector<Sum> sums(program.instructions.size());
  std::vector<Picos> first(program.instructions.size(), Picos(-1));
  for (const device::InstructionRun& run : profile.instructions) {
    if (run.instruction == kNone || !subject.holds(run.begin)) continue;
    Sum& sum = sums[run.instruction];
    ++sum.runs;
    sum.time += run.end - run.begin;
    if (first[run.instruction].value < 0) first[run.instruction] = run.begin;
  }
  for (const device::DmaRun& run : profile.dmas) {
    if (run.trigger != kNone && subject.holds(run.begin)) sums[run.trigger].dma_bytes += run.bytes;
  }
  Table table("instructions", {{"core", ColumnType::integer}, {"engine", ColumnType::text}, {"index", ColumnType::integer}, {"opcode", ColumnType::text}, {"name", ColumnType::text},
                               {"runs", ColumnType::count}, {"begin_ps", ColumnType::ps}, {"time_ps", ColumnType::ps}, {"flops", ColumnType::count}, {"elements", ColumnType::count},
                               {"read_bytes", ColumnType::bytes}, {"written_bytes", ColumnType::bytes}, {"dma_bytes", ColumnType::bytes}, {"ir_op", ColumnType::text},
                               {"aten_node", ColumnType::text}, {"module", ColumnType::text}, {"file", ColumnType::text}, {"line", ColumnType::integer}, {"text", ColumnType::text}});
  for (size_t i = 0; i < sums.size(); ++i) {
    const device::Instruction& in = program.instructions[i];
    if (subject.range && sums[i].runs == 0 && sums[i].dma_bytes == 0) continue;
    auto row = table.row();
    row.integer(in.core).text(lane_name(in.engine)).integer(in.index).text(in.opcode).text(in.name).integer(sums[i].runs);
    first[i].value < 0 ? row.null() : row.integer(first[i].value);
    row.integer(sums[i].time.value).integer(sums[i].runs * in.flops).integer(sums[i].runs * in.elements).integer(sums[i].runs * in.bytes_read)
        .integer(sums[i].runs * in.bytes_written).integer(sums[i].dma_bytes).text(in.ir_op).text(in.aten_node);
    const device::Source* source = program.source_of(&in);
    const device::SourceFrame* line = program.line_of(source);
    source == nullptr || source->module.empty() ? row.null() : row.text(source->module);
    line == nullptr ? row.null().null() : row.text(line->file).integer(line->line);
    row.text(in.text);
  }
  return table;
}

}  // namespace

Result<std::vector<Table>> instructions_tables(const Subject& subject) {
  using In = const device::Instruction*;
  const auto engine = [](isa::Engine e) { return std::string(lane_name(e)); };
  const device::Program& program = subject.profile.program;
  const auto module = [&](In in, isa::Engine) {
    const device::Source* source = program.source_of(in);
    return source == nullptr || source->module.empty() ? Key{kUnknownSource, ""} : Key{source->module, source->module_class};
  };
  const auto line = [&](In in, isa::Engine) {
    const device::SourceFrame* at = program.line_of(program.source_of(in));
    return at == nullptr ? Key{kUnknownSource, "", ""} : Key{at->file, std::to_string(at->line), at->function};
  };
  std::vector<Table> tables;
  tables.push_back(Groups(subject, [&](In in, isa::Engine e) { return Key{engine(e), in == nullptr ? "-" : or_dash(in->opcode)}; }).table("opcodes", {{"engine", ColumnType::text}, {"opcode", ColumnType::text}}));
  tables.push_back(Groups(subject, [&](In in, isa::Engine) { return Key{in == nullptr ? "-" : or_dash(in->aten_node)}; }).table("aten_nodes", {{"aten_node", ColumnType::text}}));
  tables.push_back(Groups(subject, [&](In in, isa::Engine) { return in == nullptr ? Key{"-", "-"} : Key{or_dash(in->ir_op), or_dash(in->aten_node)}; }).table("ir_ops", {{"ir_op", ColumnType::text}, {"aten_node", ColumnType::text}}));
  tables.push_back(Groups(subject, module).table("modules", {{"module", ColumnType::text}, {"class", ColumnType::text}}, true));
  tables.push_back(Groups(subject, line).table("lines", {{"file", ColumnType::text}, {"line", ColumnType::integer}, {"function", ColumnType::text}}, true));
  tables.push_back(Groups(subject, [&](In, isa::Engine e) { return Key{engine(e)}; }).table("engines", {{"engine", ColumnType::text}}));
  tables.push_back(instructions_table(subject));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
