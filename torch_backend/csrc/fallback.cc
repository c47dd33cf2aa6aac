// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/fallback.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>

#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include "runtime/hal/runtime_event.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/correlation.h"
#include "torch_backend/csrc/generator.h"

namespace lanewise::torch_backend {
namespace {

constexpr size_t kNamesKept = 1'000'000;

struct Log {
  std::mutex mutex;
  std::deque<uint32_t> names;       // interned
  std::set<uint32_t> warned;
};

Log& log() {
  static auto* instance = new Log;
  return *instance;
}

enum class Mode { count, warn, error };

Mode mode() {
  const char* choice = std::getenv("LANEWISE_FALLBACK");
  const char* disabled = std::getenv("TORCH_NEURONX_DISABLE_FALLBACK_EXECUTION");
  if (disabled != nullptr && std::strcmp(disabled, "1") == 0) return Mode::error;
  if (choice == nullptr || *choice == '\0' || std::strcmp(choice, "count") == 0) return Mode::count;
  if (std::strcmp(choice, "warn") == 0) return Mode::warn;
  if (std::strcmp(choice, "error") == 0) return Mode::error;
  TORCH_CHECK_VALUE(false, "LANEWISE_FALLBACK is '", choice, "'; it can be count, warn or error");
}

std::string full_name(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// A copy that is not a view of the original would break the caller silently.
bool returns_view(const c10::FunctionSchema& schema) {
  for (const c10::Argument& result : schema.returns())
    if (result.alias_info() != nullptr && !result.alias_info()->isWrite()) return true;
  return false;
}

bool has_cpu_kernel(const c10::OperatorHandle& op) { return op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU); }

std::string because(std::string_view reason) {
  return reason.empty() ? std::string("the lowering table does not have it") : std::string(reason);
}

// The random numbers of a device come from its own generator, whose state a CPU kernel can use through its host side.
void use_host_generators(const c10::FunctionSchema& schema, torch::jit::Stack& stack) {
  const auto& arguments = schema.arguments();
  const size_t first = stack.size() - arguments.size();
  int device = -1;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::IValue& value = stack[first + i];
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_privateuseone()) device = value.toTensor().device().index();
    if (value.isDevice() && value.toDevice().is_privateuseone()) device = value.toDevice().index();
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type()->str().find("Generator") == std::string::npos) continue;
    c10::IValue& value = stack[first + i];
    if (value.isNone()) {
      value = host_side(default_generator(device));
    } else if (value.isGenerator() && value.toGenerator().device().is_privateuseone()) {
      value = host_side(value.toGenerator());
    }
  }
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) { run_on_host(op, stack, {}); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

}  // namespace

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack, std::string_view reason) {
  const std::string name = full_name(op);
  const Mode chosen = mode();
  TORCH_CHECK_NOT_IMPLEMENTED(chosen != Mode::error, name, " has no program for device neuron (", because(reason),
                              "), and LANEWISE_FALLBACK=error forbids running it on the host.");
  TORCH_CHECK_NOT_IMPLEMENTED(!returns_view(op.schema()), name, " returns a view and is not served by device neuron; the host "
                              "fallback would return a copy instead.");
  TORCH_CHECK_NOT_IMPLEMENTED(has_cpu_kernel(op), name, " has no program for device neuron (", because(reason),
                              ") and PyTorch has no CPU kernel to fall back to.");
  const uint32_t interned = trace::record::intern(name);
  {
    std::lock_guard lock(log().mutex);
    if (log().names.size() == kNamesKept) log().names.pop_front();
    log().names.push_back(interned);
    if (chosen == Mode::warn && log().warned.insert(interned).second)
      TORCH_WARN(name, " runs on the host: ", because(reason), ". It costs copies both ways each time.");
  }
  runtime::CallEvent event(trace::record::EventKind::host_fallback, current_device());
  event.event.name = interned;
  event.event.external_id = current_external_id();
  use_host_generators(op.schema(), *stack);
  at::native::cpu_fallback(op, stack);
}

std::vector<std::string> fallback_ops() {
  std::lock_guard lock(log().mutex);
  std::vector<std::string> out;
  out.reserve(log().names.size());
  for (uint32_t name : log().names) out.emplace_back(trace::record::interned(name));
  return out;
}

void clear_fallback_ops() {
  std::lock_guard lock(log().mutex);
  log().names.clear();
}

}  // namespace lanewise::torch_backend
