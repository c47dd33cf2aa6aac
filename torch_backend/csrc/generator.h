// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of device `neuron` come from the host: its generator is a CPU generator (Mersenne Twister) of its own
// per device, so torch.neuron.manual_seed rules it and the CPU's own stream is untouched.
#pragma once

#include <ATen/core/Generator.h>

namespace lanewise::torch_backend {

const at::Generator& default_generator(int device);
at::Generator new_generator(int device);

// The CPU generator that CPU kernels accept and that shares the state of a neuron generator.
at::Generator host_side(const at::Generator& generator);

}  // namespace lanewise::torch_backend
