// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every driver needs to write runtime events. Launch ids are trace::record::new_launch_id().
#pragma once

#include <cstdint>

#include "trace/record/capture.h"

namespace lanewise::runtime {

// OS thread id of the caller, as in the events of a framework profiler.
uint32_t os_thread_id();

// The runtime event of the enclosing call: takes its start when made, its end when it leaves the scope. Costs one load
// when no capture is on. Fill `event` (kind, nc and thread are set).
class CallEvent {
 public:
  CallEvent(trace::record::EventKind kind, int nc) : on_(trace::record::capture_on()) {
    if (!on_) return;
    event.kind = kind;
    event.nc = static_cast<uint16_t>(nc);
    event.thread = os_thread_id();
    event.start_ns = trace::record::now_ns();
  }
  ~CallEvent() {
    if (!on_) return;
    event.end_ns = trace::record::now_ns();
    trace::record::emit(event);
  }
  CallEvent(const CallEvent&) = delete;
  CallEvent& operator=(const CallEvent&) = delete;

  bool on() const { return on_; }
  void drop() { on_ = false; }   // the call failed before it did anything

  trace::record::Event event;

 private:
  bool on_;
};

}  // namespace lanewise::runtime
