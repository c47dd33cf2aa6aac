// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/balance.h"

#include <algorithm>
#include <array>

namespace lanewise::compiler::emit {

using isa::AluOp;
using isa::Engine;
using isa::Opcode;

namespace {

constexpr int64_t kSmallTile = 256;   // elements; below, the fixed cost of an instruction decides and Vector's is lowest
constexpr int kParts = 256;

class Balancer {
 public:
  Balancer(const stage::Stage& stage, const TilePlan& plan, const machine::Machine& machine, TileCode& code)
      : plan_(plan), machine_(machine), code_(code), tiles_(stage) {}

  void run() {
    // Time of one tile by engine, and of its DMA, in picoseconds.
    for (const TileOp& op : code_.ops) load_[static_cast<int>(op.engine)] += cost(op, op.engine);
    dma_ = dma_time();
    double& vector = load_[static_cast<int>(Engine::vector)];
    std::vector<TileOp*> movable;
    for (TileOp& op : code_.ops)
      if (op.engine == Engine::vector && elements(op) >= kSmallTile && may_run_on_gpsimd(op)) movable.push_back(&op);
    std::stable_sort(movable.begin(), movable.end(), [&](const TileOp* a, const TileOp* b) { return cost(*a, Engine::vector) > cost(*b, Engine::vector); });
    for (TileOp* op : movable) {
      if (vector <= dma_) return;
      const Engine other = may_run_on_scalar(*op) && load_[static_cast<int>(Engine::scalar)] <= load_[static_cast<int>(Engine::gpsimd)]
                               ? Engine::scalar
                               : Engine::gpsimd;
      double& there = load_[static_cast<int>(other)];
      const double here_cost = cost(*op, Engine::vector), there_cost = cost(*op, other);
      // Until both are equally long, or Vector hides behind the DMA.
      const double part = std::min({1.0, (vector - there) / (here_cost + there_cost), (vector - dma_) / here_cost});
      const int share = static_cast<int>(part * kParts);
      if (share < kParts / 16) continue;
      op->other = other;
      op->share = share;
      vector -= here_cost * share / kParts;
      there += there_cost * share / kParts;
    }
  }

 private:
  const Value& value(const Operand& o) const { return code_.values[o.value]; }
  bool invariant(int32_t v) const { return plan_.values[v].home == ValuePlan::Home::invariant; }

  int64_t elements(const TileOp& op) const {
    AtomMask atoms = code_.values[op.dst].atoms;
    if (op.op == Opcode::tensor_reduce) atoms = value(op.src[0]).atoms;
    return invariant(op.dst) ? 0 : tiles_.elements(plan_.chunk, atoms);
  }

  double cost(const TileOp& op, Engine engine) const {
    double n = static_cast<double>(elements(op));
    int64_t khz = 0, fixed = 0;
    switch (engine) {
      case Engine::vector: {
        khz = machine_.vector.clock.khz;
        fixed = machine_.vector.fixed_cycles;
        if (op.op == Opcode::select) n *= 2;
        const bool narrow = op.src[0].is_value() && isa::dtype_bytes(value(op.src[0]).dtype) == 2 && isa::dtype_bytes(code_.values[op.dst].dtype) == 2;
        if (machine_.vector.perf_modes && narrow) {
          if (op.op == Opcode::tensor_copy || op.op == Opcode::tensor_scalar) n /= 4;
          if (op.op == Opcode::tensor_tensor && isa::dtype_bytes(value(op.src[1]).dtype) == 2) n /= 2;
        } else if (op.op == Opcode::tensor_tensor) {
          n *= static_cast<double>(machine_.vector.tensor_tensor_fp32_cycles);
        }
        break;
      }
      case Engine::scalar:
        khz = machine_.scalar.clock.khz;
        fixed = machine_.scalar.copy_fixed_cycles;
        break;
      default:
        khz = machine_.gpsimd.clock.khz;
        fixed = machine_.gpsimd.fixed_cycles;
        break;
    }
    if (n == 0) return 0;
    return (n + static_cast<double>(fixed)) * 1e9 / static_cast<double>(std::max<int64_t>(1, khz));
  }

  double dma_time() const {
    double bytes = 0;
    const auto partitions = static_cast<double>(tiles_.partitions(plan_.chunk));
    for (size_t v = 0; v < code_.values.size(); ++v) {
      if (plan_.values[v].home != ValuePlan::Home::load) continue;
      bytes += static_cast<double>(tiles_.elements(plan_.chunk, code_.values[v].atoms) * isa::dtype_bytes(code_.values[v].dtype));
    }
    for (const TileStore& store : code_.stores)
      bytes += static_cast<double>(tiles_.elements(plan_.chunk, code_.values[store.value].atoms) * isa::dtype_bytes(store.access.dtype));
    return bytes * partitions * 1e12 / static_cast<double>(std::max<int64_t>(1, machine_.dma.hbm_bytes_per_second));
  }

  // GpSimd would compute integers as integers, and cannot reach PSUM.
  bool may_run_on_gpsimd(const TileOp& op) const {
    switch (op.op) {
      case Opcode::tensor_tensor:
      case Opcode::tensor_scalar:
      case Opcode::tensor_reduce:
      case Opcode::select:
      case Opcode::tensor_copy: break;
      default: return false;
    }
    const auto floating = [&](const Operand& o) {
      return !o.is_value() || (isa::is_float(value(o).dtype) && value(o).kind != Value::Kind::matmul);
    };
    const bool predicate = op.op == Opcode::select;
    return floating(op.src[0]) && floating(op.src[1]) && (predicate || floating(op.src[2])) && floating(op.scalar[0]) &&
           floating(op.scalar[1]) && isa::is_float(code_.values[op.dst].dtype);
  }

  bool may_run_on_scalar(const TileOp& op) const {
    if (op.op == Opcode::tensor_copy) return true;
    if (op.op != Opcode::tensor_scalar || op.reverse0 || op.reverse1) return false;
    return (op.op0 == AluOp::multiply && (op.op1 == AluOp::none || op.op1 == AluOp::add)) || (op.op0 == AluOp::add && op.op1 == AluOp::none);
  }

  const TilePlan& plan_;
  const machine::Machine& machine_;
  TileCode& code_;
  FrameTiles tiles_;
  std::array<double, isa::kEngineCount> load_{};
  double dma_ = 0;
};

}  // namespace

void balance_engines(const stage::Stage& stage, const TilePlan& plan, const machine::Machine& machine, TileCode& code) {
  Balancer(stage, plan, machine, code).run();
}

}  // namespace lanewise::compiler::emit
