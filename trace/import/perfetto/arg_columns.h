// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which annotations become columns: the args of the events table under their JSON names, and those of our own captures.
#pragma once

#include "trace/import/perfetto/annotations.h"
#include "trace/schema/event_table_builder.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::perfetto {

// Of the row that was appended last.
void set_arg_columns(const Args& args, schema::Row row, store::StringPool& strings, schema::EventTableBuilder& builder);

}  // namespace lanewise::trace::perfetto
