// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/peaks.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

std::string_view lane_label(isa::Engine engine) {
  switch (engine) {
    case isa::Engine::pe: return "Tensor";
    case isa::Engine::vector: return "Vector";
    case isa::Engine::scalar: return "Scalar";
    case isa::Engine::gpsimd: return "GpSimd";
    case isa::Engine::sync: return "Sync";
  }
  return "";
}

// The tensor engine has two rows: loads of weights, and matmuls.
std::string_view track_of(const device::Instruction* in, isa::Engine engine) {
  if (engine != isa::Engine::pe || in == nullptr) return lane_label(engine);
  return fills_psum(*in) ? "TensorMatrix" : "Tensor";
}

std::string operands_text(const device::Instruction& in) {
  // The line of `disasm` without engine and opcode, which have their own columns.
  const size_t at = in.text.find(in.opcode);
  return at == std::string::npos ? in.text : in.text.substr(std::min(in.text.size(), at + in.opcode.size() + 1));
}

void add_bytes(const device::Instruction& in, PublicTable* t) {
  const OnChipBytes b = on_chip_bytes(in);
  t->set("sbuf_read_bytes", b.sbuf_read).set("sbuf_write_bytes", b.sbuf_written).set("psum_read_bytes", b.psum_read).set("psum_write_bytes", b.psum_written)
      .set("psum_read_sbuf_write_bytes", b.psum_read > 0 ? b.sbuf_written : 0);
}

void add_flops(const device::Instruction& in, PublicTable* t) {
  if (in.engine != isa::Engine::pe) return;
  std::string_view dtype;
  for (const device::Operand& o : in.operands) {
    if (!is_written(o) && dtype.empty()) dtype = o.dtype;
  }
  const auto adjusted = static_cast<int64_t>(bf16_equivalent(dtype) * static_cast<double>(in.flops));
  t->set("tensor_instruction_type", in.transpose ? "TRANSPOSE" : "REGULAR").set("tensor_elements", in.elements).set("raw_flops", in.flops).set("adjusted_flops", adjusted)
      .set("tensor_elements_transpose", in.transpose ? in.elements : 0).set("flops_transpose", in.transpose ? in.flops : 0)
      .set("adjusted_flops_transpose", in.transpose ? adjusted : 0);
}

struct Triggered {
  Picos begin{INT64_MAX}, end;
  int64_t hbm_read = 0, hbm_write = 0, save = 0, reload = 0;
};

// What the DMAs of each trigger run did, by (instruction, iteration).
std::map<std::pair<uint32_t, uint32_t>, Triggered> triggered(const device::DeviceProfile& p) {
  std::map<std::pair<uint32_t, uint32_t>, Triggered> out;
  const std::vector<Moved> all = moved(p);
  for (size_t i = 0; i < p.dmas.size(); ++i) {
    const device::DmaRun& run = p.dmas[i];
    if (run.trigger == kNone) continue;
    Triggered& t = out[{run.trigger, run.iteration}];
    t.begin = std::min(t.begin, run.begin);
    t.end = std::max(t.end, run.end);
    const auto scratch = [&](uint32_t tensor) { return tensor != kNone && p.program.tensors[tensor].kind == "scratch"; };
    if (all[i].from == Space::hbm) t.hbm_read += all[i].read, t.reload += scratch(all[i].from_tensor) ? all[i].read : 0;
    if (all[i].to == Space::hbm) t.hbm_write += all[i].written, t.save += scratch(all[i].to_tensor) ? all[i].written : 0;
  }
  return out;
}

void add_instructions(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  const auto dmas = triggered(p);
  const std::vector<std::string> stacks = stack_frame_ids(p.program);
  const FrameworkNodes nodes = framework_nodes(p.program);
  PublicTable t("Instruction");
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    const device::InstructionRun& run = p.instructions[i];
    const device::Instruction* in = run.instruction == kNone ? nullptr : &p.program.instructions[run.instruction];
    t.row().times(run.begin, run.end).set("engine", lane_name(run.engine)).set("timeline_track", track_of(in, run.engine)).set("pcore_idx", run.core)
        .set("id", static_cast<int64_t>(i) + 1);
    if (run.ready.value >= 0) t.set("evt_wait_time_ns", ns_down(run.begin) - ns_down(run.ready));
    if (in == nullptr) {
      t.set("opcode", "").set("operands", "").set("pc", int64_t{-1}).set("bir_id", "");
      continue;
    }
    const std::string name = std::to_string(in->core) + ":" + std::to_string(run.instruction);
    t.set("opcode", in->opcode).set("operands", operands_text(*in)).set("pc", in->index).set("compiler_pc", in->index).set("bir_id", name)
        .set("raw_bir_id", run.instruction).set("compiler_opcode", in->opcode);
    if (!in->name.empty()) t.set("bir_instruction_name", in->name);
    if (!in->ir_op.empty()) t.set("hlo_name", in->ir_op);
    if (!in->aten_node.empty()) t.set("layer", in->aten_node);
    if (const int64_t node = nodes.of_instruction[run.instruction]; node != 0) t.set("raw_framework_id", node);
    if (in->source < stacks.size() && !stacks[in->source].empty()) t.set("stack_frame_ids", stacks[in->source]);
    add_flops(*in, &t);
    if (in->queue == kNone) {
      add_bytes(*in, &t);
    } else if (const auto dma = dmas.find({run.instruction, run.iteration}); dma != dmas.end()) {
      const Triggered& d = dma->second;
      t.set("dma_trigger_start_ts", ns_down(d.begin)).set("dma_trigger_end_ts", ns_up(d.end)).set("dma_wait_time_ns", ns_down(d.begin) - ns_up(run.end))
          .set("hbm_read_bytes", d.hbm_read).set("hbm_write_bytes", d.hbm_write).set("spill_save_bytes", d.save).set("spill_reload_bytes", d.reload);
    }
  }
  b.add(std::move(t), "the capture holds no instruction");
}

void add_active(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  PublicTable t("ActiveTime");
  const auto add = [&](uint16_t core, std::string_view name, const std::vector<Interval>& spans) {
    for (const Interval& i : spans) t.row().times(i.begin, i.end).set("engine", name).set("pcore_idx", core);
  };
  for (const Lane& lane : lanes(p)) add(lane.core, lane_name(lane.engine), busy(p, lane));
  for (uint16_t core = 0; core < core_count(p); ++core) add(core, "dma", dma_busy(p, core));
  b.add(std::move(t), "nothing ran");
}

void add_semaphores(const PublicBuilder& b) {
  PublicTable t("SemaphoreUpdate");
  for (const device::SemaphoreRun& s : b.subject.profile.semaphores) {
    t.row().set("timestamp", ns_down(s.at)).set("id", "S[" + std::to_string(s.semaphore) + "]").set("value", int64_t{s.value})
        .set("update_source", s.by_dma ? std::string_view("AXI") : lane_label(s.engine)).set("pcore_idx", s.core);
  }
  b.add(std::move(t), "no semaphore changed, or the machine of the capture is not known");
}

void add_flows(const PublicBuilder& b) {
  const Dependencies& d = b.dependencies;
  const std::vector<int64_t> transfers = transfer_ids(b.subject.profile);
  const auto id = [&](uint32_t node) { return d.is_dma(node) ? transfers[d.dma(node)] : int64_t{node} + 1; };
  const auto table = [&](uint32_t node) { return d.is_dma(node) ? "dma_block" : "instruction"; };
  PublicTable t("Flow");
  for (uint32_t n = 0; n < d.nodes(); ++n) {
    for (const Constraint& c : d.before(n)) {
      if (c.from == kNone || (c.why != Why::semaphore && c.why != Why::trigger)) continue;
      t.row().set("in_id", id(c.from)).set("out_id", id(n)).set("in_table", table(c.from)).set("out_table", table(n))
          .set("dependency_type", c.why == Why::trigger ? "DMA_TRIGGER" : "SEMAPHORE").set("gap_time", ns_down(d.begin(n)) - ns_up(d.done(c.from)));
    }
  }
  b.add(std::move(t), "nothing waited for anything");
}

}  // namespace

void add_public_events(const PublicBuilder& builder) {
  add_instructions(builder);
  add_active(builder);
  add_semaphores(builder);
  add_flows(builder);
}

}  // namespace lanewise::trace::device_analysis
