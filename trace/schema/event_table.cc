// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/event_table.h"

#include <array>

namespace lanewise::trace::schema {
namespace {

constexpr ArgKind kind_number = ArgKind::number;
constexpr ArgKind kind_text = ArgKind::text;
constexpr std::array<ArgColumn, kArgKeys> kColumns = {{
#define LW_ARG_ROW(name, key, kind) {#name, key, kind_##kind},
    LW_ARG_COLUMNS(LW_ARG_ROW)
#undef LW_ARG_ROW
}};

}  // namespace

const ArgColumn& arg_column(ArgKey key) { return kColumns[static_cast<size_t>(key)]; }

}  // namespace lanewise::trace::schema
