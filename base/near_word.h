// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant by a word that is not known.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace lanewise {

// Letters to replace, add or take away to make one of the other.
size_t edit_distance(std::string_view a, std::string_view b);

// Near enough to be a slip of the hand: at most a third of what was typed, and one letter always.
bool is_near(std::string_view typed, size_t distance);

// The nearest of the words; "" when none is near.
std::string_view near_word(std::string_view typed, std::span<const std::string_view> words);

}  // namespace lanewise
