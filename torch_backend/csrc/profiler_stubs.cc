// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/profiler_stubs.h"

#include <torch/csrc/profiler/stubs/base.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/streams.h"
#include "trace/record/capture.h"

namespace lanewise::torch_backend {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

struct Stubs final : torch::profiler::impl::ProfilerStubs {
  void record(c10::DeviceIndex* device, ProfilerVoidEventStub* event, int64_t* cpu_ns) const override {
    const int index = current_device();
    if (device != nullptr) *device = static_cast<c10::DeviceIndex>(index);
    if (cpu_ns != nullptr) *cpu_ns = trace::record::now_ns();
    *event = take(current_queue(index).marker());
  }

  float elapsed(const ProfilerVoidEventStub* first, const ProfilerVoidEventStub* second) const override {
    const auto& from = *static_cast<const runtime::Fence*>(first->get());
    const auto& to = *static_cast<const runtime::Fence*>(second->get());
    check(from.wait());
    check(to.wait());
    return static_cast<float>(to.end_ns() - from.end_ns()) / 1000.0f;
  }

  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
  bool enabled() const override { return true; }

  void onEachDevice(std::function<void(int)> op) const override {
    for (int i = 0; i < kMaxDevices; ++i) {
      if (device_initialized(i)) op(i);
    }
  }

  void synchronize() const override {
    if (context_initialized()) synchronize_all();
  }
};

}  // namespace

void register_profiler_stubs() {
  static Stubs stubs;
  torch::profiler::impl::registerPrivateUse1Methods(&stubs);
}

}  // namespace lanewise::torch_backend
