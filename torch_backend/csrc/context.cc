// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/context.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <c10/util/Exception.h>

#include "runtime/hal/memory_guard.h"
#include "torch_backend/csrc/environment_capture.h"
#include "torch_backend/csrc/producer.h"
#include "torch_backend/csrc/status.h"

namespace lanewise::torch_backend {
namespace {

struct Context {
  runtime::DriverOptions options;
  machine::Machine machine;
  std::unique_ptr<runtime::Driver> driver;
  bool blocking = false;
  std::mutex mutex;   // guards making of devices
  std::array<std::atomic<DeviceState*>, kMaxDevices> devices{};
};

std::mutex g_context_mutex;
std::atomic<Context*> g_context{nullptr};
std::atomic<bool> g_bad_fork{false};
thread_local int t_device = 0;

void after_fork_in_child() {
  if (g_context.load(std::memory_order_relaxed) != nullptr) g_bad_fork.store(true, std::memory_order_relaxed);
}

bool is(const char* variable, const char* wanted) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, wanted) == 0;
}

Context& context() {
  if (g_bad_fork.load(std::memory_order_relaxed)) [[unlikely]] {
    TORCH_CHECK(false, "Cannot use device neuron in a forked child: the parent process had already used it, and its threads do "
                "not exist here. Use the 'spawn' start method, or do not touch neuron before forking.");
  }
  if (Context* ready = g_context.load(std::memory_order_acquire)) return *ready;
  std::lock_guard lock(g_context_mutex);
  if (Context* ready = g_context.load(std::memory_order_acquire)) return *ready;
  auto made = std::make_unique<Context>();
  made->options = take(runtime::options_from_environment());
  const std::string spec = made->options.machine.empty() ? machine::default_spec() : made->options.machine;
  made->machine = take(machine::load_machine(spec));
  made->driver = take(runtime::create_driver("sim", made->options));
  made->blocking = is("LANEWISE_BLOCKING", "1") || is("NEURON_LAUNCH_BLOCKING", "1") || is("TORCH_NEURONX_ENABLE_ASYNC_NRT", "0");
  check(runtime::install_memory_guard());
  static std::once_flag fork_once;
  std::call_once(fork_once, [] { pthread_atfork(nullptr, nullptr, &after_fork_in_child); });
  g_context.store(made.get(), std::memory_order_release);
  Context& ready = *made.release();
  check(start_environment_capture(producer_of(ready.machine), ready.options.devices));
  return ready;
}

[[noreturn]] void throw_bad_index(int index, int count) {
  C10_THROW_ERROR(ValueError, c10::str("device index ", index, " is out of range: this process has ", count,
                                       count == 1 ? " neuron device (neuron:0)" : " neuron devices (neuron:0 to neuron:",
                                       count == 1 ? std::string() : std::to_string(count - 1) + ")",
                                       "; LANEWISE_DEVICES sets the number"));
}

}  // namespace

DeviceState& device_state(int index) {
  Context& c = context();
  if (index >= 0 && index < kMaxDevices) {
    if (DeviceState* ready = c.devices[index].load(std::memory_order_acquire)) [[likely]] return *ready;
  }
  const int count = c.driver->device_count();
  if (index < 0 || index >= count || index >= kMaxDevices) throw_bad_index(index, count);
  std::lock_guard lock(c.mutex);
  if (DeviceState* ready = c.devices[index].load(std::memory_order_acquire)) return *ready;
  auto state = std::make_unique<DeviceState>();
  state->index = index;
  state->device = take(c.driver->device(index));
  state->allocator = std::make_unique<runtime::CachingAllocator>(*state->device);
  c.devices[index].store(state.get(), std::memory_order_release);
  return *state.release();
}

const machine::Machine& current_machine() { return context().machine; }
const runtime::DriverOptions& driver_options() { return context().options; }
bool context_initialized() noexcept { return g_context.load(std::memory_order_acquire) != nullptr; }
bool in_bad_fork() noexcept { return g_bad_fork.load(std::memory_order_relaxed); }

bool device_initialized(int index) noexcept {
  const Context* c = g_context.load(std::memory_order_acquire);
  return c != nullptr && index >= 0 && index < kMaxDevices && c->devices[index].load(std::memory_order_acquire) != nullptr;
}

int device_count() noexcept {
  if (const Context* c = g_context.load(std::memory_order_acquire)) return c->driver->device_count();
  auto options = runtime::options_from_environment();
  return options.ok() ? options->devices : 0;
}

void synchronize_all() {
  Context& c = context();
  Status first;
  for (auto& slot : c.devices) {
    DeviceState* state = slot.load(std::memory_order_acquire);
    if (state == nullptr) continue;
    Status status = state->device->synchronize();
    if (first.ok()) first = status;
  }
  check(first);
}

int current_device() noexcept { return t_device; }
void set_current_device_unchecked(int index) noexcept { t_device = index; }

void set_current_device(int index) {
  if (index == t_device) return;
  const int count = device_count();
  if (index < 0 || index >= count) throw_bad_index(index, count);
  t_device = index;
}

bool launch_blocking() noexcept {
  const Context* c = g_context.load(std::memory_order_acquire);
  return c != nullptr && c->blocking;
}

}  // namespace lanewise::torch_backend
