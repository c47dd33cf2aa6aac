// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A gzip-compressed tar in memory. The only place that knows libarchive and zlib.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::record {

struct TarMember {
  std::string name;
  std::string bytes;
  bool operator==(const TarMember&) const = default;
};

// The same members give the same bytes: no times, users or host names.
Result<std::string> write_tar_gz(const std::vector<TarMember>& members);

// Regular files only. `out` holds what could be read before a damage.
// Errors: data_loss with the byte offset in `bytes` (compressed) or in the archive; resource_exhausted when the content
// is larger than 4 GiB.
Status read_tar_gz(std::string_view bytes, std::vector<TarMember>* out);

}  // namespace lanewise::trace::record
