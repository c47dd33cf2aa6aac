// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/generator.h"

#include <deque>
#include <mutex>

#include <ATen/CPUGeneratorImpl.h>

#include "torch_backend/csrc/context.h"

namespace lanewise::torch_backend {
namespace {

// CPU kernels check the device of the generator that they are given, so the state lives in a real CPU generator and
// this one passes everything on.
class Generator final : public c10::GeneratorImpl {
 public:
  Generator(int device, at::Generator host)
      : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device)),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host_(std::move(host)) {}

  void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { host_.set_offset(offset); }
  uint64_t get_offset() const override { return host_.get_offset(); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override { return const_cast<at::Generator&>(host_).seed(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }

  const at::Generator& host() const { return host_; }

 private:
  Generator* clone_impl() const override { return new Generator(device_.index(), host_.clone()); }
  at::Generator host_;
};

}  // namespace

at::Generator new_generator(int device) {
  return at::make_generator<Generator>(device, at::detail::createCPUGenerator());
}

const at::Generator& default_generator(int device) {
  static auto* mutex = new std::mutex;
  static auto* all = new std::deque<at::Generator>;
  if (device < 0) device = current_device();
  const int count = device_count();
  TORCH_CHECK_VALUE(device < count, "device index ", device, " is out of range: this process has ", count, " neuron devices");
  std::lock_guard lock(*mutex);
  while (static_cast<int>(all->size()) <= device) all->push_back(new_generator(static_cast<int>(all->size())));
  return (*all)[device];
}

at::Generator host_side(const at::Generator& generator) {
  return static_cast<const Generator*>(generator.unsafeGetGeneratorImpl())->host();
}

}  // namespace lanewise::torch_backend
