// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sync.h"

#include <numeric>

#include <gtest/gtest.h>

#include "compiler/emit/reorder.h"

namespace lanewise::compiler::emit {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;

isa::Tile tile(uint32_t offset, uint32_t elements = 64) {
  isa::Tile t;
  t.space = isa::Space::sbuf;
  t.partitions = 128;
  t.offset = offset;
  t.rank = 1;
  t.dims[0] = {1, elements};
  return t;
}

isa::Hbm hbm(int32_t buffer, int64_t offset = 0, int64_t elements = 128 * 64) {
  isa::Hbm h;
  h.buffer = buffer;
  h.offset = offset;
  h.rank = 1;
  h.dims[0] = {1, elements};
  return h;
}

class List {
 public:
  List() {
    for (int i = 0; i < 3; ++i) {
      stage::Buffer b;
      b.bytes = 1 << 20;
      b.alias_group = i;
      b.written = i > 0;
      buffers.push_back(b);
    }
  }
  void load(uint32_t to, int32_t buffer, uint8_t queue, int32_t order = 0) {
    Instruction i;
    i.op = Opcode::dma_copy;
    i.engine = Engine::sync;
    i.queue = queue;
    i.dst = tile(to);
    i.hbm_src = hbm(buffer);
    add(i, order);
  }
  void store(uint32_t from, int32_t buffer, int32_t order = 0) {
    Instruction i;
    i.op = Opcode::dma_copy;
    i.engine = Engine::gpsimd;
    i.src0 = tile(from);
    i.hbm_dst = hbm(buffer);
    add(i, order);
  }
  void copy(Engine engine, uint32_t to, uint32_t from, int32_t order = 0) {
    Instruction i;
    i.op = Opcode::tensor_copy;
    i.engine = engine;
    i.dst = tile(to);
    i.src0 = tile(from);
    add(i, order);
  }
  isa::Program sync() {
    isa::Program p;
    std::vector<int32_t> order(linear.code.size());
    std::iota(order.begin(), order.end(), 0);
    insert_semaphores(std::move(linear), order, buffers, p);
    return p;
  }
  const std::vector<Instruction>& stream(const isa::Program& p, Engine e) { return p.streams[static_cast<int>(e)]; }

  Linear linear;
  std::vector<stage::Buffer> buffers;

 private:
  void add(const Instruction& i, int32_t order) {
    linear.code.push_back(i);
    linear.order.push_back(order);
  }
};

TEST(Sync, AnEngineWaitsForTheDmaThatFillsItsTile) {
  List list;
  list.load(0, 0, 0);
  list.copy(Engine::vector, 4096, 0);
  const auto p = list.sync();
  const auto& sync = list.stream(p, Engine::sync);
  const auto& vector = list.stream(p, Engine::vector);
  ASSERT_GE(sync[0].update.semaphore, 0);
  EXPECT_EQ(vector[0].wait.semaphore, sync[0].update.semaphore);
  EXPECT_EQ(vector[0].wait.at_least, 1u);
  EXPECT_EQ(p.semaphores_used, 1);
}

TEST(Sync, OneEngineNeedsNoSemaphores) {
  List list;
  list.copy(Engine::vector, 4096, 0);
  list.copy(Engine::vector, 8192, 4096);
  const auto p = list.sync();
  EXPECT_EQ(p.semaphores_used, 0);
}

TEST(Sync, WhatAWaitImpliesIsNotWaitedForAgain) {
  List list;
  list.load(0, 0, 0);
  list.copy(Engine::vector, 4096, 0);       // waits for the load
  list.copy(Engine::scalar, 8192, 4096);    // waits for Vector, and so knows the load
  list.copy(Engine::scalar, 0, 8192);       // overwrites what Vector read: known too
  const auto p = list.sync();
  const auto& scalar = list.stream(p, Engine::scalar);
  ASSERT_EQ(scalar.size(), 2u);
  EXPECT_GE(scalar[0].wait.semaphore, 0);
  EXPECT_EQ(scalar[1].wait.semaphore, -1);
}

TEST(Sync, TwoSourcesTakeTwoWaits) {
  List list;
  list.load(0, 0, 0);
  list.load(4096, 0, 1);
  Instruction add;
  add.op = Opcode::tensor_tensor;
  add.engine = Engine::vector;
  add.op0 = isa::AluOp::add;
  add.dst = tile(8192);
  add.src0 = tile(0);
  add.src1 = tile(4096);
  list.linear.code.push_back(add);
  list.linear.order.push_back(0);
  const auto p = list.sync();
  const auto& vector = list.stream(p, Engine::vector);
  ASSERT_EQ(vector.size(), 2u);
  EXPECT_EQ(vector[0].op, Opcode::semaphore_wait);
  EXPECT_NE(vector[0].wait.semaphore, vector[1].wait.semaphore);
}

TEST(Sync, DeviceMemoryOrdersStagesAndNotTheStoresOfOne) {
  List list;
  list.copy(Engine::vector, 4096, 0);
  list.store(4096, 1, 0);
  list.load(8192, 1, 0, 1);    // another stage reads it
  list.store(4096, 1, 0);      // the first stage stores elsewhere in the same part
  const auto p = list.sync();
  EXPECT_GE(list.stream(p, Engine::sync)[0].wait.semaphore, 0);
}

TEST(Sync, InputsThatNobodyWritesAreNeverWaitedFor) {
  List list;
  list.load(0, 0, 0, 0);
  list.load(4096, 0, 1, 1);
  EXPECT_EQ(list.sync().semaphores_used, 0);
}

TEST(Reorder, AnEngineTakesWhatIsReady) {
  List list;
  list.load(0, 0, 0);                       // 0
  list.copy(Engine::vector, 4096, 0);       // 1: waits two microseconds for the load
  list.copy(Engine::vector, 12288, 8192);   // 2: needs nothing
  const auto machine = machine::load_machine("trn2");
  ASSERT_TRUE(machine.ok());
  const std::vector<int32_t> order = reorder(list.linear, list.buffers, *machine);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order.back(), 1);
}

TEST(Reorder, ConflictsKeepTheirOrder) {
  List list;
  list.load(0, 0, 0);
  list.copy(Engine::vector, 4096, 0);
  list.copy(Engine::vector, 0, 8192);       // overwrites what the first copy reads: stays behind it
  const auto machine = machine::load_machine("trn2");
  ASSERT_TRUE(machine.ok());
  EXPECT_EQ(reorder(list.linear, list.buffers, *machine), (std::vector<int32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace lanewise::compiler::emit
