// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Between IR and instructions: a module cut into stages. A stage reads device-memory buffers, computes on chip, writes
// device-memory buffers; stages run one after the other as far as their buffers say so.
//
// A `tile` stage is a loop nest without an order. Its *atoms* are the loop variables; some are reduced. Its nodes form a
// DAG; every node has one value per point of the atoms it depends on, so views have vanished: a permuted, sliced,
// broadcast or reshaped operand is only another affine access. Three facts decide how it is emitted, and passes after
// the partition only refine them: which atoms lie on partitions, which on the free axis, which are loops.
//
//   stage 0 "softmax" atoms i:4096 r:512(reduced)
//     n0 = load b0 [512*i + r] : bf16                   // %0 input
//     n1 = reduce maximum n0 : bf16 {i}                 // %2 reduce
//     ...
//     store n6 -> b1 [512*i + r]
//   place partitions i free r
//
// A stage may hold one `matmul` node: its value at (m, n) is the sum over the contracted atom k. Nothing else of that
// stage depends on k, and such a stage has no other reduced atoms.
// A `gather` stage copies table rows chosen by indices. A `copy` stage is one load and its stores, by DMA alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/stage/affine.h"
#include "isa/instruction.h"

namespace lanewise::compiler::stage {

struct Buffer {
  enum class Kind : uint8_t { input, output, scratch };
  Kind kind = Kind::scratch;
  std::string name;
  int64_t bytes = 0;
  bool written = false;      // some stage stores into it
  // Buffers of one group may share memory with unknown offsets (aliased inputs). Own number when alone.
  int32_t alias_group = -1;
};

// An element of a buffer: `at` counts elements of `dtype` from the bound address.
struct Access {
  int32_t buffer = -1;
  isa::DType dtype = isa::DType::f32;
  Affine at;
  bool operator==(const Access&) const = default;
};

enum class NodeKind : uint8_t { load, constant, parameter, iota, unary, binary, select, convert, reduce, matmul };

struct Node {
  NodeKind kind = NodeKind::constant;
  isa::DType dtype = isa::DType::f32;
  int32_t op = -1;                     // IR op it came from (debug map)
  std::vector<int32_t> operands;       // earlier nodes
  isa::ActFn fn = isa::ActFn::none;
  isa::AluOp alu = isa::AluOp::none;   // binary, reduce
  Access access;                       // load
  Affine value;                        // iota
  double fvalue = 0;                   // constant
  int64_t ivalue = 0;
  int32_t parameter = -1;
  AtomMask atoms = 0;                  // what its value depends on
};

struct Store {
  int32_t node = -1;
  Access access;
};

struct Atom {
  enum class Role : uint8_t { kept, reduced, contracted };
  int64_t size = 1;
  Role role = Role::kept;
};

struct Matmul {
  Access a, b;                         // over batch, m, k and batch, n, k; buffer -1: every element is the number below
  double a_number = 0, b_number = 0;
  int32_t contracted = -1;             // atom k
  AtomMask rows = 0, columns = 0;      // atoms that make up m and n
  AtomMask result = 0;                 // those and the batch atoms
};

// Rows of `table` (row r starts at table_offset + r * table_row_stride elements, `width` elements `column_stride`
// apart) chosen by `indices` are stored over atoms 0 (row) and 1 (column).
struct Gather {
  Access indices;                      // over atom 0
  int32_t table = -1;
  isa::DType dtype = isa::DType::f32;
  int64_t table_offset = 0, table_row_stride = 0, column_stride = 1;
};

// Which atoms lie where; outermost first. Atoms in neither list are loops. Filled by pass/place.
struct Placement {
  std::vector<int32_t> partition;      // all but the first are whole; the product of those is at most 128
  std::vector<int32_t> free;           // at most 4
};

struct Stage {
  enum class Kind : uint8_t { tile, gather, copy };
  Kind kind = Kind::tile;
  std::string name;
  int32_t order = 0;                   // stages of one order number touch disjoint elements (clones of one stage)
  std::vector<Atom> atoms;
  std::vector<Node> nodes;             // operands first
  std::vector<Store> stores;
  Matmul matmul;                       // when a node of kind matmul exists
  Gather gather;
  Placement place;
  int32_t op = -1;                     // IR op for instructions that belong to no node

  AtomMask reduced() const {
    AtomMask mask = 0;
    for (size_t i = 0; i < atoms.size(); ++i)
      if (atoms[i].role == Atom::Role::reduced) mask |= bit(static_cast<int>(i));
    return mask;
  }
  bool has_matmul() const { return matmul.contracted >= 0; }
};

struct Schedule {
  std::vector<Buffer> buffers;
  std::vector<Stage> stages;           // in the order they are emitted
};

std::string print_text(const Stage& stage);
std::string print_text(const Schedule& schedule);

// Replaces an atom of size outer * inner by two: the atom keeps its number and becomes the outer one, the inner one is
// added at the end. Requires inner to divide the size.
int split_atom(Stage& stage, int atom, int64_t inner);

// Visits every affine function of the stage.
template <typename Visit>
void visit_affines(Stage& stage, Visit&& visit) {
  for (Node& node : stage.nodes) {
    if (node.kind == NodeKind::load) visit(node.access.at);
    if (node.kind == NodeKind::iota) visit(node.value);
  }
  for (Store& store : stage.stores) visit(store.access.at);
  if (stage.has_matmul()) {
    visit(stage.matmul.a.at);
    visit(stage.matmul.b.at);
  }
}

// Sets `atoms` of every node from its operands and accesses. For after a change of atoms.
void update_node_atoms(Stage& stage);

}  // namespace lanewise::compiler::stage
