// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::server::library {

struct FolderEntry {
  std::string name, path;
  std::string_view kind;  // folder, capture, trace
  uint64_t bytes = 0;
  std::string when;       // last change, UTC
};

// Folders, captures and files that are called like traces, folders first; hidden ones are left out. Links are not followed. At most
// kMostEntries.
inline constexpr size_t kMostEntries = 5000;
Result<std::vector<FolderEntry>> list_folder(const std::string& path);

bool is_capture_folder(const std::string& path);
// "2026-11-30T09:36:00Z"
std::string utc_text(int64_t seconds);

}  // namespace lanewise::server::library
