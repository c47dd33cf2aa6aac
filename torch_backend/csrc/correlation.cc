// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/correlation.h"

#include <atomic>
#include <vector>

namespace lanewise::torch_backend {
namespace {

std::atomic<uint64_t> g_generation{0};

struct Stacks {
  uint64_t generation = 0;
  std::vector<uint64_t> ids[2];
};
thread_local Stacks t_stacks;

std::vector<uint64_t>& stack_of(CorrelationKind kind) {
  const uint64_t now = g_generation.load(std::memory_order_relaxed);
  if (t_stacks.generation != now) {
    t_stacks.generation = now;
    for (auto& ids : t_stacks.ids) ids.clear();
  }
  return t_stacks.ids[static_cast<int>(kind)];
}

}  // namespace

void push_external_id(CorrelationKind kind, uint64_t id) noexcept { stack_of(kind).push_back(id); }

void pop_external_id(CorrelationKind kind) noexcept {
  auto& ids = stack_of(kind);
  if (!ids.empty()) ids.pop_back();
}

uint64_t current_external_id() noexcept {
  if (t_stacks.ids[0].empty() && t_stacks.ids[1].empty()) return 0;
  for (CorrelationKind kind : {CorrelationKind::op, CorrelationKind::user}) {
    const auto& ids = stack_of(kind);
    if (!ids.empty()) return ids.back();
  }
  return 0;
}

void reset_external_ids() noexcept { g_generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace lanewise::torch_backend
