// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an event is, whoever wrote it. The producers table (producers.h) maps category names to roles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise::trace::schema {

// X(name): what a row of that role is.
#define LW_ROLES(X)    \
  X(other)             /* a category that no producer declares */       \
  X(cpu_op)            /* a framework operator on a host thread */      \
  X(runtime)           /* a call of the device's runtime or driver */   \
  X(kernel)            /* a program that ran on a device */             \
  X(memcpy)            /* a copy, device side */                        \
  X(memset)            /* a fill, device side */                        \
  X(sync)              /* a wait, as the device's library tells it */   \
  X(annotation)        /* a range that the user marked, host side */    \
  X(device_annotation) /* the same projected onto a device: no work */  \
  X(python)            /* a Python function */                          \
  X(instant)           /* a mark without duration, such as memory */    \
  X(overhead)          /* what the profiler itself cost */              \
  X(launch_flow)       /* arrow from a launch to device work */         \
  X(autograd_flow)     /* arrow from a forward op to its backward */    \
  X(span)              /* spans of the profiler itself (cat Trace) */   \
  X(counter)           /* a value over time */                          \
  X(metadata)          /* names of processes and threads (ph M) */      \
  X(wait)              /* device-side wait or marker: takes no busy time */ \
  X(device_wait)       /* the same in a queue of the device, among its events (info counts it as one): no work */

enum class Role : uint8_t {
#define LW_ROLE_ENUM(name) name,
  LW_ROLES(LW_ROLE_ENUM)
#undef LW_ROLE_ENUM
};

std::string_view role_name(Role role);
std::optional<Role> role_by_name(std::string_view name);

// Work of a device: kernels, copies, fills.
constexpr bool is_device(Role role) { return role == Role::kernel || role == Role::memcpy || role == Role::memset; }
// What the device's own queues hold, waits too: rows that a file's producer calls device events.
constexpr bool is_device_row(Role role) { return is_device(role) || role == Role::device_wait; }
constexpr bool is_host_slice(Role role) {
  return role == Role::cpu_op || role == Role::runtime || role == Role::annotation || role == Role::python;
}

}  // namespace lanewise::trace::schema
