// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trace/input/range_reader.h"

namespace lanewise::trace::input {

std::unique_ptr<RangeReader> gzip_ranges(std::shared_ptr<StoredFile> file);

}  // namespace lanewise::trace::input
