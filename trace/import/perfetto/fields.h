// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of Perfetto's public trace format that the importer reads. Names as in its .proto files.
#pragma once

#include <cstdint>

namespace lanewise::trace::perfetto::fields {

namespace trace {
constexpr uint32_t packet = 1;
}
namespace packet {
constexpr uint32_t clock_snapshot = 6, timestamp = 8, trusted_packet_sequence_id = 10, track_event = 11, interned_data = 12,
                   sequence_flags = 13, incremental_state_cleared = 41, timestamp_clock_id = 58, trace_packet_defaults = 59,
                   track_descriptor = 60;
constexpr uint64_t flag_state_cleared = 1, flag_needs_state = 2;
}  // namespace packet
namespace defaults {
constexpr uint32_t track_event_defaults = 11, timestamp_clock_id = 58;
constexpr uint32_t track_uuid = 11;  // in track_event_defaults
}  // namespace defaults
namespace event {
constexpr uint32_t timestamp_delta_us = 1, category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11,
                   timestamp_absolute_us = 16, categories = 22, name = 23, counter_value = 30, flow_ids_old = 36,
                   terminating_flow_ids_old = 42, double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
constexpr uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
}  // namespace event
namespace annotation {
constexpr uint32_t name_iid = 1, bool_value = 2, uint_value = 3, int_value = 4, double_value = 5, string_value = 6,
                   pointer_value = 7, nested_value = 8, legacy_json_value = 9, name = 10, dict_entries = 11, array_values = 12,
                   string_value_iid = 17;
}
namespace nested {
constexpr uint32_t type = 1, dict_keys = 2, dict_values = 3, array_values = 4, int_value = 5, double_value = 6, bool_value = 7,
                   string_value = 8;
}
namespace interned {
constexpr uint32_t event_categories = 1, event_names = 2, debug_annotation_names = 3, debug_annotation_string_values = 29;
constexpr uint32_t iid = 1, text = 2;  // of each entry
}  // namespace interned
namespace descriptor {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8, static_name = 10;
constexpr uint32_t process_pid = 1, process_name = 6, process_labels = 8;
constexpr uint32_t thread_pid = 1, thread_tid = 2, thread_name = 5;
}  // namespace descriptor
namespace clocks {
constexpr uint32_t clocks = 1, primary_trace_clock = 2;
constexpr uint32_t clock_id = 1, timestamp = 2, is_incremental = 3, unit_multiplier_ns = 4;
constexpr uint64_t realtime = 1, boottime = 6, first_sequence_clock = 64;
}  // namespace clocks

}  // namespace lanewise::trace::perfetto::fields
