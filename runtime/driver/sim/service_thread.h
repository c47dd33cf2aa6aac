// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A thread of ours inside somebody's program: named, and deaf to the program's signals.
#pragma once

#include <functional>
#include <thread>

namespace lanewise::runtime::sim_driver {

// `name` has at most 15 characters.
std::thread start_service_thread(const char* name, std::function<void()> body);

}  // namespace lanewise::runtime::sim_driver
