// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/roofline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/peaks.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

// A ceiling that needs less than this part of the time does not explain it: our choice, as no public rule gives one. Between half
// and all of the time another bound would have to explain less than this one.
constexpr double kExplains = 0.5;

// "16.7 ns", "392 us": three digits, in the unit that fits.
std::string in_words(double seconds) {
  const struct { double least; double scale; const char* unit; } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {1e-9, 1e9, "ns"}, {0, 1e12, "ps"}};
  const auto* unit = units;
  while (seconds < unit->least) ++unit;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", seconds * unit->scale, unit->unit);
  return text;
}

// "1.02x"; a point far below every ceiling is not closer by more digits.
std::string headroom_words(double headroom) {
  char text[32];
  std::snprintf(text, sizeof(text), headroom < 10 ? "%.2fx" : "%.0fx", headroom);
  return headroom < 1000 ? text : "more than 1000x";
}

struct Part {
  std::vector<std::vector<Interval>> spans;   // by core
  int64_t runs = 0;
  double useful = 0, hbm = 0, dma_bytes = 0;
  std::array<double, isa::kEngineCount> engine_seconds{};   // at peak
  std::map<std::string, double> tensor_flops;               // by type of the operands
};

std::string input_dtype(const device::Instruction& in) {
  for (const device::Operand& o : in.operands) {
    if (!is_written(o) && !o.dtype.empty()) return o.dtype;
  }
  return "";
}

class Parts {
 public:
  explicit Parts(const Subject& subject) : subject_(subject), profile_(subject.profile), cores_(core_count(profile_)), active_(active_cores(profile_)), moved_(moved(profile_)) {}

  // Parts by a name; an empty name leaves the run out.
  std::map<std::string, Part> collect(const std::function<std::string(const device::Instruction*, isa::Engine)>& name) const {
    std::map<std::string, Part> parts;
    for (const device::InstructionRun& run : profile_.instructions) {
      const device::Instruction* in = run.instruction == kNone ? nullptr : &profile_.program.instructions[run.instruction];
      const std::string key = name(in, run.engine);
      if (key.empty()) continue;
      Part& part = of(parts, key);
      ++part.runs;
      part.spans[run.core].push_back({run.begin, run.end});
      if (in != nullptr) add_flops(*in, &part);
    }
    for (size_t i = 0; i < profile_.dmas.size(); ++i) {
      const device::DmaRun& run = profile_.dmas[i];
      const device::Instruction* in = run.trigger == kNone ? nullptr : &profile_.program.instructions[run.trigger];
      const std::string key = name(in, in == nullptr ? isa::Engine::sync : in->engine);
      if (key.empty()) continue;
      Part& part = of(parts, key);
      part.spans[run.core].push_back({run.begin, run.end});
      part.dma_bytes += static_cast<double>(run.bytes);
      if (moved_[i].from == Space::hbm) part.hbm += static_cast<double>(moved_[i].read);
      if (moved_[i].to == Space::hbm) part.hbm += static_cast<double>(moved_[i].written);
    }
    return parts;
  }

  RooflinePoint point(std::string level, std::string name, Part part, Picos time, double overhead) const {
    RooflinePoint p;
    p.level = std::move(level);
    p.name = std::move(name);
    p.runs = part.runs;
    p.flops = part.useful;
    p.hbm_bytes = part.hbm;
    // Cores work side by side: the longest of them.
    for (auto& spans : part.spans) p.time = std::max(p.time, total(merged(std::move(spans))));
    if (time.value > 0) p.time = time;
    double most = 0;
    for (const auto& [dtype, flops] : part.tensor_flops) {
      if (flops > most) most = flops, p.dtype = dtype;
    }
    const auto cores = static_cast<double>(active_);
    for (int e = 0; e < isa::kEngineCount; ++e) {
      const double s = part.engine_seconds[e] / cores;
      if (s > p.demand.compute) p.demand.compute = s, p.engine = static_cast<isa::Engine>(e);
    }
    p.demand.hbm = part.hbm / (hbm_share(subject_.machine) * cores);
    p.demand.dma = part.dma_bytes / (dma_peak(subject_.machine) * cores);
    p.demand.overhead = overhead;
    judge(&p);
    return p;
  }

 private:
  Part& of(std::map<std::string, Part>& parts, const std::string& key) const {
    Part& part = parts[key];
    part.spans.resize(cores_);
    return part;
  }

  void add_flops(const device::Instruction& in, Part* part) const {
    const auto flops = static_cast<double>(in.flops);
    if (!in.transpose) part->useful += flops;
    const std::string dtype = input_dtype(in);
    if (in.engine == isa::Engine::pe) {
      if (flops == 0) return;
      part->tensor_flops[dtype] += flops;
      part->engine_seconds[static_cast<int>(in.engine)] += flops / tensor_peak(subject_.machine, dtype);
    } else if (const double peak = element_peak(subject_.machine, in.engine, dtype); peak > 0 && in.queue == kNone) {
      int64_t elements = 0;
      for (const device::Operand& o : in.operands) elements = std::max(elements, element_count(o));
      part->engine_seconds[static_cast<int>(in.engine)] += static_cast<double>(elements) / peak;
    }
  }

  static void judge(RooflinePoint* p) {
    const struct { const char* bound; double seconds; } asked[] = {
        {"compute", p->demand.compute}, {"memory", p->demand.hbm}, {"dma", p->demand.dma}, {"overhead", p->demand.overhead}};
    const auto* highest = &asked[0];
    for (const auto& a : asked) {
      if (a.seconds > highest->seconds) highest = &a;
    }
    const double time = seconds(p->time);
    if (highest->seconds <= 0) {
      p->bound = "none";
      p->sentence = "computes nothing and moves nothing through a ceiling";
      return;
    }
    p->headroom = time / highest->seconds;
    std::string ceiling = highest->bound;
    if (ceiling == "compute") ceiling += " (" + std::string(lane_name(p->engine)) + (p->engine == isa::Engine::pe && !p->dtype.empty() ? ", " + p->dtype : "") + ")";
    const bool explained = highest->seconds >= kExplains * time;
    p->bound = explained ? highest->bound : "latency";
    const std::string need = in_words(highest->seconds) + " of " + in_words(time), headroom = "headroom " + headroom_words(p->headroom);
    p->sentence = explained ? ceiling + " bound: " + need + " are needed at that ceiling, " + headroom
                            : "waits: the highest ceiling, " + ceiling + ", needs " + need + ", " + headroom + " (see stalls and critical-path)";
  }

  const Subject& subject_;
  const device::DeviceProfile& profile_;
  uint16_t cores_;
  int64_t active_;
  std::vector<Moved> moved_;
};

}  // namespace

std::vector<RooflinePoint> roofline(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  const Parts parts(subject);
  const Picos all = whole(profile), overhead = to_picos(Nanos(profile.exec_overhead_ns + profile.device_capture_overhead_ns));
  std::vector<RooflinePoint> out;
  const std::string program = profile.program.name.empty() ? "program" : profile.program.name;
  auto whole_program = parts.collect([](const device::Instruction*, isa::Engine) { return std::string("all"); });
  Part& everything = whole_program["all"];
  out.push_back(parts.point("program", program, everything, all, 0));
  if (overhead.value > 0) out.push_back(parts.point("program with overhead", program, everything, all + overhead, seconds(overhead)));
  const auto add = [&](const std::string& level, const std::function<std::string(const device::Instruction*, isa::Engine)>& name) {
    std::vector<RooflinePoint> level_points;
    for (auto& [key, part] : parts.collect(name)) level_points.push_back(parts.point(level, key, std::move(part), Picos(0), 0));
    std::stable_sort(level_points.begin(), level_points.end(), [](const RooflinePoint& a, const RooflinePoint& b) { return a.time > b.time; });
    for (RooflinePoint& p : level_points) out.push_back(std::move(p));
  };
  add("aten_node", [](const device::Instruction* in, isa::Engine) { return in == nullptr ? std::string() : in->aten_node; });
  add("module", [&](const device::Instruction* in, isa::Engine) {
    const device::Source* source = profile.program.source_of(in);
    return source == nullptr ? std::string() : source->module;
  });
  add("opcode", [](const device::Instruction* in, isa::Engine e) { return in == nullptr || in->setup ? std::string() : std::string(lane_name(e)) + " " + in->opcode; });
  return out;
}

std::vector<Ceiling> ceilings(const Subject& subject) {
  const machine::Machine& m = subject.machine;
  const std::string file = "machine file " + m.name + ": ";
  std::vector<Ceiling> out;
  for (const char* dtype : {"bfloat16", "float16", "float8_e4m3", "float32"})
    out.push_back({"tensor " + std::string(dtype), "compute", tensor_peak(m, dtype), "FLOP/s", file + "2 x memory.partitions x 128 columns x pe.clock_khz / cycles a column"});
  for (const isa::Engine e : {isa::Engine::vector, isa::Engine::scalar, isa::Engine::gpsimd}) {
    for (const char* dtype : {"bfloat16", "float32"})
      out.push_back({std::string(lane_name(e)) + " " + dtype, "compute", element_peak(m, e, dtype), "elements/s", file + "memory.partitions x its clock x elements a lane and cycle at best"});
  }
  out.push_back({"hbm", "memory", hbm_share(m), "B/s", file + "dma.hbm_bytes_per_second, the share of one core"});
  out.push_back({"hbm stack", "memory", hbm_stack(m), "B/s", file + "the same x chip.cores_per_hbm_stack"});
  out.push_back({"dma", "memory", dma_peak(m), "B/s", file + "dma.engines x dma.bytes_per_cycle x dma.clock_khz"});
  const device::DeviceProfile& p = subject.profile;
  out.push_back({"launch overhead", "overhead", static_cast<double>(p.exec_overhead_ns + p.device_capture_overhead_ns) * 1e-9, "s",
                 p.simulated ? "the capture: exec_overhead_ns + device_capture_overhead_ns" : "not in a real device capture"});
  return out;
}

Result<std::vector<Table>> roofline_tables(const Subject& subject) {
  Table points("points", {{"level", ColumnType::text}, {"name", ColumnType::text}, {"time_ps", ColumnType::ps}, {"bound", ColumnType::text}, {"headroom", ColumnType::real}, {"runs", ColumnType::count}, {"flops", ColumnType::real},
                          {"hbm_bytes", ColumnType::bytes}, {"flop_per_byte", ColumnType::real}, {"gflop_per_s", ColumnType::real}, {"hbm_gb_per_s", ColumnType::real},
                          {"compute_ps", ColumnType::ps}, {"memory_ps", ColumnType::ps}, {"dma_ps", ColumnType::ps}, {"overhead_ps", ColumnType::ps}, {"dtype", ColumnType::text}, {"sentence", ColumnType::text}});
  const auto ps = [](double s) { return static_cast<int64_t>(s * 1e12); };
  for (const RooflinePoint& p : roofline(subject)) {
    const double time = seconds(p.time);
    auto row = points.row();
    row.text(p.level).text(p.name).integer(p.time.value).text(p.bound).real(p.headroom).integer(p.runs).real(p.flops).integer(static_cast<int64_t>(p.hbm_bytes));
    p.hbm_bytes > 0 ? row.real(p.flops / p.hbm_bytes) : row.null();
    row.real(time > 0 ? p.flops / time * 1e-9 : 0).real(time > 0 ? p.hbm_bytes / time * 1e-9 : 0).integer(ps(p.demand.compute)).integer(ps(p.demand.hbm)).integer(ps(p.demand.dma))
        .integer(ps(p.demand.overhead)).text(p.dtype).text(p.sentence);
  }
  Table lines("ceilings", {{"name", ColumnType::text}, {"kind", ColumnType::text}, {"value", ColumnType::real}, {"unit", ColumnType::text}, {"source", ColumnType::text}});
  for (const Ceiling& c : ceilings(subject)) lines.row().text(c.name).text(c.kind).real(c.value).text(c.unit).text(c.source);
  std::vector<Table> tables;
  tables.push_back(std::move(points));
  tables.push_back(std::move(lines));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
