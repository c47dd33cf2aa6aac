// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of the built-in producers table, in the form that producers.h describes.
#pragma once

#include <string_view>

namespace lanewise::trace::schema {

std::string_view builtin_producers_text();

}  // namespace lanewise::trace::schema
