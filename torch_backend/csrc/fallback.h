// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The host fallback: an op without a program runs on the CPU with copies both ways. Never silent: it is counted, it
// emits a host_fallback event, and LANEWISE_FALLBACK decides what else happens:
//
//   count (default)  nothing more         warn  one warning per op         error  NotImplementedError that names the op
//
// TORCH_NEURONX_DISABLE_FALLBACK_EXECUTION=1 means error too. Both are read at each fallback.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace lanewise::torch_backend {

// `reason`: why there is no program; empty when the lowering table does not have the op at all.
void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack, std::string_view reason);

// One name per invocation since the last clear, in order, as torch_neuronx.get_fallback_ops gives them; the oldest are
// dropped beyond a million.
std::vector<std::string> fallback_ops();
void clear_fallback_ops();

}  // namespace lanewise::torch_backend
