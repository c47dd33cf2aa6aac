// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/device_details.h"

#include "server/device/fields.h"
#include "server/http/event_json.h"

namespace lanewise::server::http {

Response device_event_details(const library::View& view, trace::schema::EventId event) {
  const device::DeviceView& device = *view.device;
  JsonWriter args;
  args.begin_object();
  write_fields(args, device, event.ordinal);
  args.end_object();
  const bool dma = device.is_dma(event.ordinal);
  const uint16_t core = dma ? device.dma_run(event.ordinal).core : device.instruction_run(event.ordinal).core;
  JsonWriter w;
  w.begin_object();
  write_event_members(w, *view.timeline, event);
  w.key("args").raw(args.text()).key("stack");
  write_stack(w, device, event.ordinal);
  w.key("step").null();
  w.member("device", "nc" + std::to_string(device.profile().first_core + core));
  w.key("stream").null().key("correlation").null().key("external_id").null().key("execution").null().key("flags").begin_array().end_array();
  w.member("file_offset", 0).member("file_length", 0);
  JsonWriter made;
  const auto& events = view.timeline->events(event.part);
  made.begin_object().member("name", view.timeline->text_of(events.name[event.ordinal]));
  made.member("begin_ps", events.ts_ns[event.ordinal]).member("dur_ps", events.dur_ns[event.ordinal]).key("args").raw(args.text()).end_object();
  w.member("json", made.text()).end_object();
  return json_response(w.text());
}

}  // namespace lanewise::server::http
