// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Device timing for PyTorch's older profiler: torch.autograd.profiler.profile(use_device="neuron", use_kineto=False).
#pragma once

namespace lanewise::torch_backend {

void register_profiler_stubs();   // once, at import

}  // namespace lanewise::torch_backend
