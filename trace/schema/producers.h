// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The producers table: which category of which producer has which role, and what its runtime calls do. It is data in a text
// form; users add an accelerator with a file of the same form (--producers FILE). Lines, blanks separate, `#` comments:
//
//   producer NAME                      starts a section
//   category TEXT ROLE                 TEXT may hold blanks when quoted; a role of role.h
//   named CATEGORY PATTERN ROLE        events of CATEGORY whose name matches have this role instead
//   device_when CATEGORY ARG           events of CATEGORY with args.ARG (device, nc_id, stream) are kernels of a device
//   call KIND PATTERN                  a runtime call whose name matches; KIND as in CallKind; `*` matches anything
//   collective PATTERN                 a device event whose name matches is communication between devices
//   lane stream | tid                  what one serial queue of the device is (default: stream, then tid)
//   device NAME TYPE                   what PyTorch calls the producer's devices: cuda, neuron, ...; TYPE as in its tables:
//                                      CUDA, XPU, MTIA, PrivateUse1
//   device_call NAME PATTERN           a runtime call whose name matches tells that the devices are NAME
//
// Later sections win over earlier ones, the user's over all.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "trace/schema/role.h"

namespace lanewise::trace::schema {

// What a runtime call does, by its name.
enum class CallKind : uint8_t { other, launch, graph_launch, copy, fill, sync, allocate, release, record, wait };
std::string_view call_kind_name(CallKind kind);

enum class LaneRule : uint8_t { stream, tid };

struct CategoryRule {
  std::string category, producer;
  Role role = Role::other;
  std::vector<std::string> device_when;  // args of which one makes it a kernel
  std::vector<std::pair<std::string, Role>> named;  // pattern of the event's name -> role; the last match counts

  Role role_of(std::string_view name) const;
};
struct CallRule {
  std::string pattern, producer;
  CallKind kind = CallKind::other;
};

struct DeviceRule {
  std::string producer, name, type;
};

class Producers {
 public:
  // The built-in table.
  static const Producers& builtin();
  // The built-in table with the sections of `text` after it. invalid_argument names the line.
  static Result<Producers> with(std::string_view text, std::string_view source_name);

  // The rule of a category, or null when no producer declares it.
  const CategoryRule* category(std::string_view name) const;
  Role role(std::string_view category) const;
  // "" when unknown.
  std::string_view producer(std::string_view category) const;
  CallKind call(std::string_view runtime_name) const;
  LaneRule lane(std::string_view producer) const;
  // By the name of a device event.
  bool is_collective(std::string_view kernel_name) const;

  // The device named by a runtime call, or "".
  std::string_view device_of_call(std::string_view runtime_name) const;
  // The device of a file that these producers wrote: that of the latest section of the table among them; "" when none has one.
  std::string_view device_of(const std::vector<std::string>& producers) const;
  // What PyTorch's tables call a device of that name; "PrivateUse1" when no producer declares it.
  std::string_view device_type(std::string_view device) const;

  const std::vector<CategoryRule>& categories() const { return categories_; }
  const std::vector<CallRule>& calls() const { return calls_; }

 private:
  Status parse(std::string_view text, std::string_view source_name);
  std::vector<CategoryRule> categories_;
  std::vector<CallRule> calls_;
  std::vector<std::string> collectives_;
  std::vector<std::pair<std::string, LaneRule>> lanes_;
  std::vector<DeviceRule> devices_;
  std::vector<std::pair<std::string, std::string>> device_calls_;  // pattern, device
};

}  // namespace lanewise::trace::schema
