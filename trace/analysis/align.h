// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two sequences side by side, as a diff shows them: what is common keeps its order, and as much as possible is common.
// Long ones (over kWindow a side) are aligned a window at a time, which may find less in common, never something wrong.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lanewise::trace::analysis {

inline constexpr size_t kWindow = 2000;

// Pairs (index in a, index in b) of what is common, ascending in both.
std::vector<std::pair<size_t, size_t>> align(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace lanewise::trace::analysis
