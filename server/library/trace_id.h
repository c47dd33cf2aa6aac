// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::server::library {

// The id of a trace, made of its content: size, first and last bytes of its files in order. 16 hexadecimal digits, the same in every
// run and release, since addresses and saved markers hold it. not_found: a file cannot be read.
Result<std::string> trace_id(const std::vector<std::string>& files);
// The id of the same files seen from another call site.
std::string id_of_site(const std::string& id, uint32_t site);

}  // namespace lanewise::server::library
