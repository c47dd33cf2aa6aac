// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The Kineto plug-in: torch.profiler.profile starts and stops a capture through it, and reads its rows.
//
// One session a cycle, made in `configure` (warm-up), counted from `start`. Device rows are `kernel`, `gpu_memcpy` and
// `gpu_memset`; host rows are `privateuse1_runtime`. All are linked to the operator that caused them, so PyTorch adds
// their time to it; with correlate_device_time=False the device rows are not.
#pragma once

#include <string>
#include <string_view>

namespace lanewise::torch_backend {

// Hands the factory to PyTorch; once, at import. PyTorch calls it at the first profile that asks for our device.
void register_kineto_profiler();

// Called where the profiler itself synchronizes on its way to stop. What is still open then was left open by the script:
// the session says so at its end. Does nothing when no session runs.
void note_open_launches();

// Folder of the last capture of this process that was asked for with exactly this text; empty if there is none.
std::string session_directory(std::string_view config_text);

}  // namespace lanewise::torch_backend
