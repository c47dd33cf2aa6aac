// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>

#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/replay.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

constexpr double kFaster = 2;            // how much faster a part is made in `speedups`
constexpr size_t kSingleCandidates = 5;  // of the longest on the path, of DMAs and of instructions each

double share(Picos part, Picos of) { return of.value == 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(of.value); }

std::string_view opcode_of(const Dependencies& d, uint32_t node) {
  const device::Instruction* in = node == kNone ? nullptr : d.instruction(node);
  return in == nullptr ? std::string_view("") : in->opcode;
}

// DMA runs of one order are descriptors of one transfer: named by their trigger's row and iteration, else by themselves.
std::pair<uint64_t, uint64_t> transfer_of(const Dependencies& d, uint32_t node) {
  const device::DmaRun& run = d.profile().dmas[d.dma(node)];
  if (run.trigger == kNone) return {UINT64_MAX, node};
  return {run.trigger, run.iteration};
}

Table path_table(const Dependencies& d, const std::vector<Piece>& path) {
  Table table("path", {{"begin_ps", ColumnType::ps}, {"dur_ps", ColumnType::ps}, {"kind", ColumnType::text}, {"run", ColumnType::text}, {"opcode", ColumnType::text},
                       {"what", ColumnType::text}, {"ir_op", ColumnType::text}, {"aten_node", ColumnType::text}});
  // Descriptors of one transfer that follow each other are one row.
  std::vector<Piece> shown;
  for (const Piece& p : path) {
    const bool goes_on = !shown.empty() && p.kind == PieceKind::transfer && shown.back().kind == PieceKind::transfer && transfer_of(d, p.node) == transfer_of(d, shown.back().node);
    if (goes_on) shown.back().end = p.end;
    else shown.push_back(p);
  }
  for (const Piece& p : shown) {
    auto row = table.row();
    row.integer(p.begin.value).integer((p.end - p.begin).value).text(piece_name(p.kind));
    if (p.node == kNone) {
      row.text("").text("").text("").text("").text("");
      continue;
    }
    std::string what;
    if (d.is_dma(p.node)) what = direction_text(d.profile(), d.profile().dmas[d.dma(p.node)]);
    if (p.from != kNone) what = "after " + node_text(d, p.from) + " " + std::string(opcode_of(d, p.from));
    const device::Instruction* in = d.instruction(p.node);
    row.text(node_text(d, p.node)).text(opcode_of(d, p.node)).text(what).text(in ? in->ir_op : "").text(in ? in->aten_node : "");
  }
  return table;
}

std::vector<Piece> path_within(const std::vector<Piece>& path, const Interval& span) {
  std::vector<Piece> out;
  for (Piece p : path) {
    const Interval cut = Subject::part({p.begin, p.end}, span);
    if (cut.end <= cut.begin) continue;
    p.begin = cut.begin;
    p.end = cut.end;
    out.push_back(p);
  }
  return out;
}

Table kinds_table(const Dependencies& d, const std::vector<Piece>& path, Picos all) {
  struct Sum {
    int64_t pieces = 0;
    Picos time;
  };
  std::map<std::string, Sum> sums;
  for (const Piece& p : path) {
    Sum& sum = sums[part_name(d, p)];
    ++sum.pieces;
    sum.time += p.end - p.begin;
  }
  Table table("kinds", {{"part", ColumnType::text}, {"pieces", ColumnType::count}, {"time_ps", ColumnType::ps}, {"share", ColumnType::real}});
  for (const auto& [part, sum] : sums) table.row().text(part).integer(sum.pieces).integer(sum.time.value).real(share(sum.time, all));
  table.sort(2, true);
  return table;
}

class Speedups {
 public:
  Speedups(const Dependencies& d, const std::vector<Piece>& path)
      : d_(d), path_(path), table_("speedups", {{"what", ColumnType::text}, {"on_path_ps", ColumnType::ps}, {"saved_ps", ColumnType::ps}, {"saved_share", ColumnType::real}, {"sentence", ColumnType::text}}) {}

  Table make() {
    find_groups();
    std::map<std::string, Picos> parts;      // of the path, by what can be made faster as a whole
    std::map<uint32_t, Picos> single;        // by node; of a transfer: its first descriptor on the path
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> first_of;
    Picos hops, fixed;
    for (const Piece& p : path_) {
      const Picos time = p.end - p.begin;
      if (p.kind == PieceKind::work || p.kind == PieceKind::transfer) {
        parts[group_of(p.node)] += time;
        const uint32_t node = p.kind == PieceKind::transfer ? first_of.try_emplace(transfer_of(d_, p.node), p.node).first->second : p.node;
        single[node] += time;
      }
      if (p.kind == PieceKind::semaphore || p.kind == PieceKind::pipeline) hops += time;
      if (p.kind == PieceKind::dma_start || p.kind == PieceKind::completion) fixed += time;
    }
    for (const auto& [part, time] : parts) add_part(part, time);
    if (hops.value > 0) add("semaphore hops", hops, {.work = {}, .semaphore = 1 / kFaster});
    if (fixed.value > 0) add("DMA start, drain and completion", fixed, {.work = {}, .dma_fixed = 1 / kFaster});
    // A part that is one run alone is said once.
    std::map<uint32_t, int> runs_of_part;
    for (const auto& [node, time] : single) ++runs_of_part[group_[node]];
    std::erase_if(single, [&](const auto& entry) { return runs_of_part[group_[entry.first]] == 1; });
    add_single(single, true);
    add_single(single, false);
    table_.sort(2, true);
    return std::move(table_);
  }

 private:
  void add(const std::string& what, Picos on_path, const Scaling& scaling) {
    const Picos saved = d_.last_done() - replay(d_, scaling);
    const double part = share(saved, whole(d_.profile()));
    char sentence[96];
    std::snprintf(sentence, sizeof(sentence), "%gx faster saves %.1f %%", kFaster, 100 * part);
    table_.row().text(what).integer(on_path.value).integer(saved.value).real(part).text(what + ": " + sentence);
  }

  const std::string& group_of(uint32_t node) const { return names_[group_[node]]; }

  // Names are made once for each instruction of the program, not for each of its runs.
  void find_groups() {
    std::map<std::string, uint32_t> known;
    const auto number = [&](const std::string& name) {
      const auto [at, fresh] = known.try_emplace(name, static_cast<uint32_t>(names_.size()));
      if (fresh) names_.push_back(name);
      return at->second;
    };
    std::map<const device::Instruction*, uint32_t> of_instruction;
    group_.reserve(d_.nodes());
    for (uint32_t n = 0; n < d_.nodes(); ++n) {
      if (d_.is_dma(n)) {
        group_.push_back(number("DMA transfers"));
        continue;
      }
      const device::Instruction* in = d_.instruction(n);
      const auto found = in == nullptr ? of_instruction.end() : of_instruction.find(in);
      if (found != of_instruction.end()) {
        group_.push_back(found->second);
        continue;
      }
      group_.push_back(number(part_name(d_, {{}, {}, PieceKind::work, n, kNone})));
      if (in != nullptr) of_instruction.emplace(in, group_.back());
    }
  }

  void add_part(const std::string& part, Picos on_path) {
    Scaling scaling;
    scaling.work.assign(d_.nodes(), 1);
    for (uint32_t n = 0; n < d_.nodes(); ++n) {
      if (group_of(n) == part) scaling.work[n] = 1 / kFaster;
    }
    add(part, on_path, scaling);
  }

  void add_single(const std::map<uint32_t, Picos>& single, bool dmas) {
    std::vector<std::pair<Picos, uint32_t>> longest;
    for (const auto& [node, time] : single) {
      if (d_.is_dma(node) == dmas) longest.push_back({time, node});
    }
    std::stable_sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 0; i < std::min(longest.size(), kSingleCandidates); ++i) {
      const uint32_t node = longest[i].second;
      Scaling scaling;
      scaling.work.assign(d_.nodes(), 1);
      scaling.work[node] = 1 / kFaster;
      for (uint32_t n = d_.is_dma(node) ? d_.node_of_dma(0) : static_cast<uint32_t>(d_.nodes()); n < d_.nodes(); ++n) {
        if (transfer_of(d_, n) == transfer_of(d_, node)) scaling.work[n] = 1 / kFaster;
      }
      const std::string more = dmas ? direction_text(d_.profile(), d_.profile().dmas[d_.dma(node)]) : std::string(opcode_of(d_, node));
      add(node_text(d_, node) + (more.empty() ? "" : " (" + more + ")"), longest[i].first, scaling);
    }
  }

  const Dependencies& d_;
  const std::vector<Piece>& path_;
  std::vector<std::string> names_;     // of groups
  std::vector<uint32_t> group_;        // by node
  Table table_;
};

// Of a range the instructions that ran in it; how much later they could end is about the whole.
Table slack_table(const Dependencies& d, const Subject& subject) {
  const device::Program& program = d.profile().program;
  const std::vector<Picos> slacks = slack(d);
  struct Least {
    int64_t runs = 0;
    Picos slack{INT64_MAX}, time;
  };
  std::vector<Least> least(2 * program.instructions.size());   // the work of its own, then its DMA
  for (uint32_t n = 0; n < d.nodes(); ++n) {
    const device::Instruction* in = d.instruction(n);
    if (in == nullptr || !subject.holds(d.begin(n))) continue;
    Least& l = least[static_cast<size_t>(in - program.instructions.data()) + (d.is_dma(n) ? program.instructions.size() : 0)];
    ++l.runs;
    l.slack = std::min(l.slack, slacks[n]);
    l.time += d.end(n) - d.begin(n);
  }
  Table table("slack", {{"run", ColumnType::text}, {"opcode", ColumnType::text}, {"runs", ColumnType::count}, {"time_ps", ColumnType::ps}, {"slack_ps", ColumnType::ps},
                        {"critical", ColumnType::flag}, {"ir_op", ColumnType::text}, {"aten_node", ColumnType::text}});
  for (size_t i = 0; i < least.size(); ++i) {
    if (least[i].runs == 0) continue;
    const bool dma = i >= program.instructions.size();
    const device::Instruction& in = program.instructions[dma ? i - program.instructions.size() : i];
    std::string run = (program.cores > 1 ? std::to_string(in.core) + ":" : "") + std::string(lane_name(in.engine)) + "[" + std::to_string(in.index) + "]";
    table.row().text(dma ? "DMA of " + run : run).text(in.opcode).integer(least[i].runs).integer(least[i].time.value).integer(least[i].slack.value)
        .integer(least[i].slack.value == 0).text(in.ir_op).text(in.aten_node);
  }
  table.sort(4, false);
  return table;
}

}  // namespace

std::string part_name(const Dependencies& d, const Piece& p) {
  switch (p.kind) {
    case PieceKind::work: {
      const device::InstructionRun& run = d.profile().instructions[p.node];
      return std::string(lane_name(run.engine)) + " " + std::string(opcode_of(d, p.node));
    }
    case PieceKind::transfer: return "DMA transfer";
    case PieceKind::dma_start: return "DMA trigger to first descriptor";
    case PieceKind::completion: return "DMA completion";
    case PieceKind::semaphore: return "semaphore hop";
    default: return std::string(piece_name(p.kind));
  }
}

Result<std::vector<Table>> critical_path_tables(const Subject& subject) {
  const Dependencies d(subject.profile, subject.machine);
  const Interval looked_at = subject.looked_at();
  std::vector<Piece> path = critical_path(d);
  if (subject.range) path = path_within(path, looked_at);
  std::vector<Table> tables;
  tables.push_back(path_table(d, path));
  tables.push_back(kinds_table(d, path, looked_at.end - looked_at.begin));
  tables.push_back(Speedups(d, path).make());
  tables.push_back(slack_table(d, subject));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
