// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/matmul_stage.h"

#include <algorithm>

#include "compiler/emit/frame_loop.h"
#include "compiler/emit/matmul_operand.h"
#include "compiler/emit/tile_plan.h"

namespace lanewise::compiler::emit {

using isa::Instruction;
using stage::Stage;

namespace {

constexpr int64_t kBlockColumns = 512;   // of a PSUM bank
constexpr int64_t kFewestColumns = 32;
constexpr int64_t kSlice = 1024;         // of k, when k is streamed
constexpr int kStreamRows = 4;           // row tiles at once, when k is streamed
constexpr uint32_t kAccumulators = 6;    // PSUM banks; the last two take transposes

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// f32 multiplies only with f32.
isa::DType operand_dtype(isa::DType own, isa::DType other) { return other == isa::DType::f32 ? isa::DType::f32 : own; }

// Extents of one block: 128 rows on the partitions, up to `columns` columns on the free axis.
Frame block_frame(const Stage& stage, int64_t partitions, int64_t columns) {
  Frame frame;
  for (size_t a = 0; a < stage.atoms.size(); ++a) frame.extent[a] = 1;
  int64_t rows = 1;
  for (size_t i = 1; i < stage.place.partition.size(); ++i) {
    const int32_t atom = stage.place.partition[i];
    frame.extent[atom] = stage.atoms[atom].size;
    rows *= frame.extent[atom];
  }
  if (!stage.place.partition.empty()) {
    const int32_t atom = stage.place.partition[0];
    frame.extent[atom] = std::min(stage.atoms[atom].size, partitions / rows);
  }
  for (size_t i = stage.place.free.size(); i-- > 0;) {
    const int32_t atom = stage.place.free[i];
    frame.extent[atom] = std::min(stage.atoms[atom].size, columns);
    // Only whole inner atoms leave room for an outer one.
    columns = frame.extent[atom] == stage.atoms[atom].size ? columns / frame.extent[atom] : 1;
  }
  return frame;
}

// The widest block whose epilogue fits a quarter of SBUF.
Frame choose_block(const Stage& stage, const TileCode& code, const machine::Machine& machine) {
  const int64_t budget = machine.memory.sbuf_partition_bytes / 4;
  for (int64_t columns = kBlockColumns;; columns /= 2) {
    const Frame block = block_frame(stage, machine.memory.partitions, columns);
    if (columns <= kFewestColumns || make_tile_plan(stage, code, machine, budget, budget, &block).bytes <= budget) return block;
  }
}

class MatmulEmitter {
 public:
  MatmulEmitter(const Stage& stage, Writer& writer)
      : stage_(stage),
        writer_(writer),
        code_(select_tile_ops(stage)),
        block_(choose_block(stage, code_, writer.machine())),
        plan_(make_tile_plan(stage, code_, writer.machine(), writer.sbuf_bytes() / 4, writer.sbuf_bytes() / 4, &block_)),
        a_(stage, stage.matmul.a, stage.matmul.a_number, stage.place.partition, operand_dtype(stage.matmul.a.dtype, stage.matmul.b.dtype), writer),
        b_(stage, stage.matmul.b, stage.matmul.b_number, stage.place.free, operand_dtype(stage.matmul.b.dtype, stage.matmul.a.dtype), writer),
        emitter_(stage, code_, writer),
        places_(code_.values.size()),
        turn_(code_.values.size(), 0),
        k_(stage.atoms[stage.matmul.contracted].size) {
    writer.begin_stage(stage.order, isa::Engine::gpsimd);
    writer.keep_psum_banks(kAccumulators);
    for (const stage::Node& node : stage.nodes)
      if (node.kind == stage::NodeKind::matmul) op_ = node.op;
    for (size_t v = 0; v < code_.values.size(); ++v)
      if (code_.values[v].kind == Value::Kind::matmul) result_ = static_cast<int32_t>(v);
    split_loops();
  }

  void run() {
    choose_sizes();
    emitter_.use(places_);
    for (size_t v = 0; v < code_.values.size(); ++v)
      if (plan_.values[v].home != ValuePlan::Home::none) put(static_cast<int32_t>(v), 0);
    emitter_.set_transpose_buffers(region_ + static_cast<uint32_t>(plan_.transpose_offset), plan_.transpose_bytes);
    epilogue_section(plan_.before, block_);
    if (streamed_) {
      run_streamed();
    } else {
      run_panels();
    }
  }

 private:
  // Loops outside of the panels: all kept atoms that are no part of a block and that b depends on. The others go with
  // the row tiles.
  void split_loops() {
    const AtomMask in_b = stage_.matmul.b.at.atoms() | stage_.matmul.columns;
    for (size_t i = 0; i < stage_.atoms.size(); ++i) {
      const int atom = static_cast<int>(i);
      if (atom == stage_.matmul.contracted || placed(atom)) continue;
      (stage::contains(in_b, atom) ? panel_loops_ : row_loops_).push_back(atom);
    }
    if (!stage_.place.partition.empty()) row_loops_.push_back(stage_.place.partition[0]);
    for (int32_t atom : stage_.place.free) column_loops_.push_back(atom);
  }
  bool placed(int atom) const {
    for (int32_t a : stage_.place.partition)
      if (a == atom) return true;
    for (int32_t a : stage_.place.free)
      if (a == atom) return true;
    return false;
  }

  int64_t row_count() const { return a_.columns(block_); }

  void choose_sizes() {
    const int64_t tiles = ceil_div(k_, kPeRows);
    const int64_t block = b_.columns(block_);
    int64_t all = 1;
    for (int32_t atom : stage_.place.free) all *= stage_.atoms[atom].size;
    const int64_t blocks = ceil_div(all, block);   // at least; partial blocks of outer atoms add some
    const int64_t fixed = plan_.bytes + a_.natural_bytes() + b_.natural_bytes() + 4096;
    const int64_t room = writer_.sbuf_bytes() - fixed;
    const int64_t a_tile = tiles * row_count() * a_.bytes();
    const int64_t b_block = tiles * block * b_.bytes();
    streamed_ = 2 * a_tile + b_block > room;
    if (streamed_) {
      const int64_t slice = std::min(ceil_div(kSlice, kPeRows), tiles);
      a_bytes_ = slice * row_count() * a_.bytes();
      b_bytes_ = slice * block * b_.bytes();
      reserve(2 * kStreamRows * a_bytes_ + 2 * b_bytes_);
      return;
    }
    panel_blocks_ = std::max<int64_t>(1, std::min(blocks, (room - 2 * a_tile) / b_block));
    // Panels of equal width.
    panel_blocks_ = ceil_div(blocks, ceil_div(blocks, panel_blocks_));
    a_bytes_ = a_tile;
    b_bytes_ = b_block;
    reserve(2 * a_bytes_ + panel_blocks_ * b_bytes_);
  }

  void reserve(int64_t operands) {
    region_ = writer_.reserve_sbuf(align(plan_.bytes) + align(a_.natural_bytes()) + align(b_.natural_bytes()) + operands);
    uint32_t at = region_ + static_cast<uint32_t>(align(plan_.bytes));
    a_.set_natural(at);
    at += static_cast<uint32_t>(align(a_.natural_bytes()));
    b_.set_natural(at);
    at += static_cast<uint32_t>(align(b_.natural_bytes()));
    a_at_ = at;
    b_at_ = at + static_cast<uint32_t>((streamed_ ? 2 * kStreamRows : 2) * a_bytes_);
  }
  static int64_t align(int64_t bytes) { return (bytes + 63) / 64 * 64; }

  std::vector<Frame> frames_over(const std::vector<int>& atoms, const Frame& from) const {
    std::vector<Frame> frames;
    for_each_tile(stage_, block_, atoms, from, [&](const Frame& frame) { frames.push_back(frame); });
    return frames;
  }

  void run_panels() {
    for_each_tile(stage_, block_, panel_loops_, block_, [&](const Frame& outer) {
      const std::vector<Frame> columns = frames_over(column_loops_, outer);
      for (size_t first = 0; first < columns.size(); first += static_cast<size_t>(panel_blocks_)) {
        const size_t count = std::min(columns.size() - first, static_cast<size_t>(panel_blocks_));
        const std::vector<Frame> rows = frames_over(row_loops_, outer);
        const auto bring_a = [&](size_t i) {
          const uint32_t at = a_at_ + static_cast<uint32_t>(static_cast<int64_t>(i) % 2 * a_bytes_);
          a_.bring(rows[i], 0, k_, at, a_.columns(rows[i]), op_);
        };
        const auto bring_b = [&](size_t j) {
          b_.bring(columns[first + j], 0, k_, b_at_ + static_cast<uint32_t>(static_cast<int64_t>(j) * b_bytes_), b_.columns(columns[first + j]), op_);
        };
        bring_a(0);
        bring_b(0);
        for (size_t i = 0; i < rows.size(); ++i) {
          if (i + 1 < rows.size()) bring_a(i + 1);
          for (size_t j = 0; j < count; ++j) {
            if (i == 0 && j + 1 < count) bring_b(j + 1);
            const Frame frame = joined(rows[i], columns[first + j]);
            const uint32_t bank = next_accumulator();
            multiply(frame, bank, a_at_ + static_cast<uint32_t>(static_cast<int64_t>(i) % 2 * a_bytes_),
                     b_at_ + static_cast<uint32_t>(static_cast<int64_t>(j) * b_bytes_), 0, k_);
            finish(frame, bank);
          }
        }
      }
    });
  }

  void run_streamed() {
    int64_t slice_turn = 0;
    for_each_tile(stage_, block_, panel_loops_, block_, [&](const Frame& outer) {
      for (const Frame& columns : frames_over(column_loops_, outer)) {
        const std::vector<Frame> rows = frames_over(row_loops_, outer);
        for (size_t first = 0; first < rows.size(); first += kStreamRows) {
          const size_t count = std::min<size_t>(kStreamRows, rows.size() - first);
          uint32_t banks[kStreamRows];
          for (size_t i = 0; i < count; ++i) banks[i] = next_accumulator();
          for (int64_t begin = 0; begin < k_; begin += kSlice) {
            const int64_t end = std::min(k_, begin + kSlice);
            const int64_t side = slice_turn++ % 2;
            const uint32_t b_at = b_at_ + static_cast<uint32_t>(side * b_bytes_);
            b_.bring(columns, begin, end, b_at, b_.columns(columns), op_);
            for (size_t i = 0; i < count; ++i) {
              const uint32_t a_at = a_at_ + static_cast<uint32_t>((side * kStreamRows + static_cast<int64_t>(i)) * a_bytes_);
              a_.bring(rows[first + i], begin, end, a_at, a_.columns(rows[first + i]), op_);
            }
            for (size_t i = 0; i < count; ++i) {
              const uint32_t a_at = a_at_ + static_cast<uint32_t>((side * kStreamRows + static_cast<int64_t>(i)) * a_bytes_);
              multiply(joined(rows[first + i], columns), banks[i], a_at, b_at, begin, end);
            }
          }
          for (size_t i = 0; i < count; ++i) finish(joined(rows[first + i], columns), banks[i]);
        }
      }
    });
  }

  Frame joined(Frame rows, const Frame& columns) const {
    for (int atom : column_loops_) {
      rows.base[atom] = columns.base[atom];
      rows.extent[atom] = columns.extent[atom];
    }
    return rows;
  }

  uint32_t next_accumulator() {
    return static_cast<uint32_t>(bank_++ % kAccumulators * writer_.machine().memory.psum_bank_bytes);
  }

  // bank (+)= a^T b over k in [begin, end); the operands' tiles start at `begin`.
  void multiply(const Frame& frame, uint32_t bank, uint32_t a_at, uint32_t b_at, int64_t begin, int64_t end) {
    const int64_t m = a_.columns(frame), n = b_.columns(frame);
    Instruction i;
    i.op = isa::Opcode::nc_matmul;
    i.engine = isa::Engine::pe;
    i.dst = dense(isa::DType::f32, m, n, bank);
    i.dst.space = isa::Space::psum;
    for (int64_t k = begin; k < end; k += kPeRows) {
      const int64_t rows = std::min(kPeRows, end - k), tile = (k - begin) / kPeRows;
      i.src0 = dense(a_.dtype(), rows, m, a_at + static_cast<uint32_t>(tile * m * a_.bytes()));
      i.src1 = dense(b_.dtype(), rows, n, b_at + static_cast<uint32_t>(tile * n * b_.bytes()));
      i.accumulate = k > 0;
      writer_.add(i, op_);
    }
  }

  static isa::Tile dense(isa::DType dtype, int64_t partitions, int64_t elements, uint32_t offset) {
    isa::Tile t;
    t.space = isa::Space::sbuf;
    t.dtype = dtype;
    t.partitions = static_cast<uint16_t>(partitions);
    t.offset = offset;
    if (elements > 1) {
      t.rank = 1;
      t.dims[0] = {1, static_cast<uint32_t>(elements)};
    }
    return t;
  }

  void put(int32_t value, int copy) {
    const ValuePlan& p = plan_.values[value];
    emitter_.place(value, region_ + static_cast<uint32_t>(p.offset + p.stride * copy));
  }
  void next_copy(int32_t value) {
    const ValuePlan& p = plan_.values[value];
    if (p.home != ValuePlan::Home::load && p.home != ValuePlan::Home::stored) return;
    put(value, turn_[value]);
    turn_[value] = (turn_[value] + 1) % p.copies;
  }

  void finish(const Frame& frame, uint32_t bank) {
    emitter_.place(result_, bank, isa::Space::psum);
    for (size_t v = 0; v < code_.values.size(); ++v)
      if (plan_.values[v].home == ValuePlan::Home::row) put(static_cast<int32_t>(v), static_cast<int>(blocks_ % plan_.values[v].copies));
    ++blocks_;
    for (const Section& section : plan_.sections) epilogue_section(section, frame);
  }

  void epilogue_section(const Section& section, const Frame& frame) {
    for (int32_t value : section.loads) {
      next_copy(value);
      emitter_.load(value, frame, plan_.values[value].path);
    }
    for (int32_t number : section.ops) {
      TileOp op = code_.ops[number];
      next_copy(op.dst);
      // Results leave PSUM on Vector and Scalar in turn.
      if (op.op == isa::Opcode::tensor_copy && op.src[0].value == result_ && blocks_ % 2 == 0) op.engine = isa::Engine::scalar;
      emitter_.run(op, frame);
    }
    for (const TileStore& store : section.stores) emitter_.store(store, frame);
  }

  const Stage& stage_;
  Writer& writer_;
  TileCode code_;
  Frame block_;
  TilePlan plan_;
  MatmulOperand a_, b_;
  TileEmitter emitter_;
  TileEmitter::Places places_;
  std::vector<int> turn_;
  const int64_t k_;
  int32_t op_ = -1, result_ = -1;
  std::vector<int> panel_loops_, row_loops_, column_loops_;
  bool streamed_ = false;
  int64_t panel_blocks_ = 1, a_bytes_ = 0, b_bytes_ = 0, blocks_ = 0;
  uint32_t region_ = 0, a_at_ = 0, b_at_ = 0, bank_ = 0;
};

}  // namespace

Status emit_matmul_stage(const Stage& stage, Writer& writer) {
  if (!isa::is_float(stage.matmul.a.dtype) || !isa::is_float(stage.matmul.b.dtype))
    return unimplemented("a matmul of integers; the PE multiplies floating point only");
  MatmulEmitter(stage, writer).run();
  return ok_status();
}

}  // namespace lanewise::compiler::emit
