// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trace/input/byte_source.h"
#include "trace/input/stored_file.h"

namespace lanewise::trace::input {

// All members of a gzip file, one after the other. Inflates with ISA-L where it is built in, else with zlib.
std::unique_ptr<ByteSource> gzip_source(std::shared_ptr<StoredFile> file);

}  // namespace lanewise::trace::input
