// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch's profiler has on this thread's correlation stacks. The Kineto plug-in pushes and pops; the launch path
// reads, and copies the id into every runtime event it causes.
//
// Two stacks per thread: operators (pushCorrelationId) and user annotations (pushUserCorrelationId). The operator on
// top wins; the annotation counts only where no operator is open.
#pragma once

#include <cstdint>

namespace lanewise::torch_backend {

enum class CorrelationKind : uint8_t { op, user };

void push_external_id(CorrelationKind kind, uint64_t id) noexcept;
void pop_external_id(CorrelationKind kind) noexcept;   // of an empty stack: nothing happens

// 0 = no profiler watches this thread. Two thread-local reads; cheap enough for every launch.
uint64_t current_external_id() noexcept;

// Forgets what every thread has on its stacks. A session that ends inside an operator never sees the pop, and the next
// session counts ids from the start: call this in `configure`.
void reset_external_ids() noexcept;

}  // namespace lanewise::torch_backend
