// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Pinned host memory: page-aligned blocks that a non-blocking copy may read after the call returned. A block comes back
// to its free list when the copies recorded on it are done.
#pragma once

#include <cstddef>

#include <ATen/core/CachingHostAllocator.h>

namespace lanewise::torch_backend {

at::HostAllocator& pinned_allocator() noexcept;
bool is_pinned(const void* pointer) noexcept;

}  // namespace lanewise::torch_backend
