// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/tile_emitter.h"

#include <algorithm>
#include <cstdlib>

#include "base/status.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::Scalar;
using isa::Tile;

namespace {

constexpr int64_t kWorthTransposing = 16;   // elements along both sides

// The free atom that becomes the partitions of the natural tile: the finest one.
int finest_free(const stage::Stage& stage, const stage::Access& access) {
  int finest = -1;
  for (int32_t atom : stage.place.free) {
    const int64_t c = std::abs(access.at.coef[atom]);
    if (c != 0 && (finest < 0 || c < std::abs(access.at.coef[finest]))) finest = atom;
  }
  return finest;
}

}  // namespace

LoadPath load_path(const stage::Stage& stage, const Frame& chunk, const stage::Access& access) {
  const int64_t bytes = isa::dtype_bytes(access.dtype);
  if (bytes != 2 && bytes != 4) return LoadPath::direct;   // the PE transposes 2 and 4 bytes
  if (stage.place.partition.size() != 1) return LoadPath::direct;
  const int32_t partition = stage.place.partition[0];
  if (access.at.coef[partition] != 1 || chunk.extent[partition] < kWorthTransposing) return LoadPath::direct;
  const int free = finest_free(stage, access);
  if (free < 0 || chunk.extent[free] < kWorthTransposing) return LoadPath::direct;
  return LoadPath::transposed;
}

Walk TileEmitter::walk_of(const Frame& frame, AtomMask over, const std::array<AtomMask, kMaxWalkOperands>& operands) const {
  Walk walk;
  for (int32_t atom : stage_.place.free) {
    if (!stage::contains(over, atom)) continue;
    WalkDim dim;
    dim.count = frame.extent[atom];
    for (int k = 0; k < kMaxWalkOperands; ++k) dim.stride[k] = tiles_.stride(frame, operands[k], atom);
    walk.push_back(dim);
  }
  return walk;
}

Tile TileEmitter::tile(int32_t value, const Frame& frame) const {
  Tile t;
  t.space = place_of(value).space;
  t.dtype = code_.values[value].dtype;
  t.partitions = static_cast<uint16_t>(tiles_.partitions(frame));
  t.offset = place_of(value).offset;
  return t;
}

Scalar TileEmitter::scalar(const Operand& operand, const Frame& frame) const {
  switch (operand.kind) {
    case Operand::Kind::none: return {};
    case Operand::Kind::number: return Scalar::of(static_cast<float>(operand.number));
    case Operand::Kind::integer: return Scalar::of_int(operand.integer);
    case Operand::Kind::parameter: return Scalar::of_parameter(operand.integer);
    case Operand::Kind::value: return Scalar::of_tile(tile(operand.value, frame));
  }
  return {};
}

void TileEmitter::load(int32_t value, const Frame& frame, LoadPath path) {
  if (path == LoadPath::transposed) return load_transposed(value, frame);
  const Value& v = code_.values[value];
  const stage::Access& access = stage_.nodes[v.node].access;
  writer_.load(tiles_.tile(frame, v.atoms, v.dtype, place_of(value).offset), tiles_.hbm(frame, access, v.atoms), v.op);
}

void TileEmitter::store(const TileStore& store, const Frame& frame) {
  const Value& v = code_.values[store.value];
  writer_.store(tiles_.hbm(frame, store.access, v.atoms), tiles_.tile(frame, v.atoms, v.dtype, place_of(store.value).offset), v.op);
}

// Memory runs along the partition atom u. For every index of the other free atoms and every block of up to 128 of the
// finest free atom w: DMA [w, u], transpose to PSUM [u, w]; one copy moves what a PSUM bank holds.
void TileEmitter::load_transposed(int32_t value, const Frame& frame) {
  const Value& v = code_.values[value];
  const stage::Access& access = stage_.nodes[v.node].access;
  const int32_t u = stage_.place.partition[0];
  const int w = finest_free(stage_, access);
  const int64_t bytes = isa::dtype_bytes(v.dtype);
  const int64_t bank = writer_.machine().memory.psum_bank_bytes / bytes;
  const int64_t run = tiles_.stride(frame, v.atoms, w);
  std::vector<int32_t> others;
  for (int32_t atom : stage_.place.free)
    if (atom != w && stage::contains(v.atoms, atom)) others.push_back(atom);
  std::vector<int64_t> index(others.size(), 0);
  for (;;) {
    int64_t from = access.at.offset, to = 0;
    for (size_t a = 0; a < stage_.atoms.size(); ++a) from += access.at.coef[a] * frame.base[a];
    for (size_t k = 0; k < others.size(); ++k) {
      from += access.at.coef[others[k]] * index[k];
      to += tiles_.stride(frame, v.atoms, others[k]) * index[k];
    }
    for (int64_t start = 0; start < frame.extent[w]; start += bank) {
      const int64_t columns = std::min(bank, frame.extent[w] - start);
      const uint32_t psum = writer_.next_psum_bank();
      for (int64_t block = 0; block < columns; block += 128) {
        const int64_t rows = std::min<int64_t>(128, columns - block);
        Tile natural;
        natural.space = isa::Space::sbuf;
        natural.dtype = v.dtype;
        natural.partitions = static_cast<uint16_t>(rows);
        natural.offset = transpose_ + static_cast<uint32_t>((turn_++ % kNaturalTiles) * transpose_bytes_);
        natural.rank = 1;
        natural.dims[0] = {1, static_cast<uint32_t>(frame.extent[u])};
        isa::Hbm source;
        source.buffer = access.buffer;
        source.dtype = access.dtype;
        source.rank = 2;
        source.offset = (from + access.at.coef[w] * (start + block)) * bytes;
        source.dims[0] = {access.at.coef[w], rows};
        source.dims[1] = {1, frame.extent[u]};
        writer_.load(natural, source, v.op);
        Instruction transpose;
        transpose.op = Opcode::nc_transpose;
        transpose.engine = Engine::pe;
        transpose.src0 = natural;
        transpose.dst = natural;
        transpose.dst.space = isa::Space::psum;
        transpose.dst.partitions = static_cast<uint16_t>(frame.extent[u]);
        transpose.dst.offset = psum + static_cast<uint32_t>(block * bytes);
        transpose.dst.dims[0].count = static_cast<uint32_t>(rows);
        writer_.add(transpose, v.op);
      }
      Instruction copy;
      copy.op = Opcode::tensor_copy;
      copy.engine = turn_ % 2 == 0 ? Engine::scalar : Engine::vector;
      copy.src0.space = isa::Space::psum;
      copy.src0.dtype = v.dtype;
      copy.src0.partitions = static_cast<uint16_t>(frame.extent[u]);
      copy.src0.offset = psum;
      copy.src0.rank = 1;
      copy.src0.dims[0] = {1, static_cast<uint32_t>(columns)};
      copy.dst = copy.src0;
      copy.dst.space = isa::Space::sbuf;
      copy.dst.offset = place_of(value).offset + static_cast<uint32_t>((to + run * start) * bytes);
      copy.dst.dims[0].stride = static_cast<int32_t>(run);
      writer_.add(copy, v.op);
    }
    size_t k = others.size();
    while (k > 0 && ++index[k - 1] == frame.extent[others[k - 1]]) index[--k] = 0;
    if (k == 0) return;
  }
}

void TileEmitter::run(const TileOp& op, const Frame& frame, int64_t partial) {
  if (op.op == Opcode::iota) return run_iota(op, frame);
  if (op.op == Opcode::tensor_reduce) return run_reduce(op, frame, partial);
  Instruction i;
  i.op = op.op;
  i.engine = op.engine;
  i.op0 = op.op0;
  i.op1 = op.op1;
  i.fn = op.fn;
  i.reverse0 = op.reverse0;
  i.reverse1 = op.reverse1;
  const Value& result = code_.values[op.dst];
  std::array<AtomMask, kMaxWalkOperands> masks{};
  masks[0] = result.atoms;
  for (int k = 0; k < 3; ++k)
    if (op.src[k].is_value()) masks[k + 1] = code_.values[op.src[k].value].atoms;
  const Walk walk = merged(walk_of(frame, result.atoms, masks), kMaxWalkOperands);
  i.dst = tile(op.dst, frame);
  set_dims(i.dst, walk, 0);
  Tile* sources[3] = {&i.src0, &i.src1, &i.src2};
  for (int k = 0; k < 3; ++k) {
    if (!op.src[k].is_value()) continue;
    *sources[k] = tile(op.src[k].value, frame);
    set_dims(*sources[k], walk, k + 1);
  }
  i.scalar0 = scalar(op.scalar[0], frame);
  i.scalar1 = scalar(op.scalar[1], frame);
  if (op.op == Opcode::activation_reduce) {
    i.dst2 = tile(op.dst2, frame);
    if (partial >= 0) i.dst2.offset = static_cast<uint32_t>(partial);
  }
  writer_.add(i, op.ir_op);
}

void TileEmitter::run_reduce(const TileOp& op, const Frame& frame, int64_t partial) {
  const Value& result = code_.values[op.dst];
  const Value& source = code_.values[op.src[0].value];
  std::array<AtomMask, kMaxWalkOperands> masks{};
  masks[0] = source.atoms;
  masks[1] = result.atoms;
  const Walk kept = merged(walk_of(frame, result.atoms, masks), 2);
  Walk reduced = merged(walk_of(frame, op.reduced, masks), 1);
  if (reduced.empty()) reduced.push_back({1, {}});
  Instruction i;
  i.op = Opcode::tensor_reduce;
  i.engine = op.engine;
  i.op0 = op.op0;
  i.dst = tile(op.dst, frame);
  if (partial >= 0) i.dst.offset = static_cast<uint32_t>(partial);
  set_dims(i.dst, kept, 1);
  Walk whole = kept;
  whole.insert(whole.end(), reduced.begin(), reduced.end());
  i.src0 = tile(op.src[0].value, frame);
  set_dims(i.src0, whole, 0);
  i.reduce_dims = static_cast<uint8_t>(reduced.size());
  writer_.add(i, op.ir_op);
}

void TileEmitter::accumulate(const TileOp& op, const Frame& frame, uint32_t partial) {
  const int32_t result = reduce_result(op);
  Tile from = tile(result, frame);
  from.offset = partial;
  add_step(op, frame, from, code_.values[result].atoms);
}

bool TileEmitter::accumulate_row(const TileOp& op, const Frame& frame) {
  if (op.op != Opcode::tensor_reduce) return false;
  for (int32_t atom : stage_.place.free)
    if (stage::contains(op.reduced, atom) && frame.extent[atom] > 1) return false;
  const int32_t source = op.src[0].value;
  add_step(op, frame, tile(source, frame), code_.values[source].atoms);
  return true;
}

void TileEmitter::add_step(const TileOp& op, const Frame& frame, const Tile& from, AtomMask atoms) {
  const int32_t result = reduce_result(op);
  std::array<AtomMask, kMaxWalkOperands> masks{};
  masks[0] = code_.values[result].atoms;
  masks[1] = atoms;
  const Walk walk = merged(walk_of(frame, masks[0], masks), 2);
  Instruction i;
  i.op = Opcode::tensor_tensor;
  i.engine = isa::is_float(code_.values[result].dtype) ? Engine::vector : Engine::gpsimd;
  i.op0 = op.op0;
  i.dst = tile(result, frame);
  set_dims(i.dst, walk, 0);
  i.src0 = i.dst;
  i.src1 = from;
  set_dims(i.src1, walk, 1);
  writer_.add(i, op.ir_op);
}

void TileEmitter::run_iota(const TileOp& op, const Frame& frame) {
  const Value& result = code_.values[op.dst];
  const stage::Affine& value = stage_.nodes[op.iota_node].value;
  Instruction i;
  i.op = Opcode::iota;
  i.engine = Engine::gpsimd;
  i.dst = tile(op.dst, frame);
  i.scalar0 = Scalar::of_int(0);
  if (op.iota == IotaPart::lane) {
    i.iota_partition_step = 1;
    writer_.add(i, op.ir_op);
    return;
  }
  int64_t start = value.offset;
  for (size_t a = 0; a < stage_.atoms.size(); ++a) start += value.coef[a] * frame.base[a];
  i.scalar0 = Scalar::of_int(start);
  if (op.iota == IotaPart::all && !stage_.place.partition.empty()) i.iota_partition_step = value.coef[stage_.place.partition.back()];
  std::array<AtomMask, kMaxWalkOperands> masks{};
  masks[0] = result.atoms;
  Walk walk = walk_of(frame, result.atoms, masks);
  size_t d = 0;
  for (int32_t atom : stage_.place.free)
    if (stage::contains(result.atoms, atom)) walk[d++].stride[1] = value.coef[atom];
  walk = merged(walk, 2);
  set_dims(i.dst, walk, 0);
  for (size_t k = 0; k < walk.size(); ++k) i.iota_step[k] = walk[k].stride[1];
  writer_.add(i, op.ir_op);
}

}  // namespace lanewise::compiler::emit
