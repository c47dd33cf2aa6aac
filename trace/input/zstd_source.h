// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trace/input/byte_source.h"
#include "trace/input/stored_file.h"

namespace lanewise::trace::input {

// All frames of a zstd file, one after the other.
std::unique_ptr<ByteSource> zstd_source(std::shared_ptr<StoredFile> file);

}  // namespace lanewise::trace::input
