// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that does the work of one device: values in submission order over all queues, then device times, hardware
// events, and the completion. It computes ahead: values of later work never wait for the pacing of earlier work.
//
// sim_lag: when values are ready later than the work ends on the device, the interval between the two is an event of its
// own. Intervals of one device do not overlap: each begins where the one before ended at the earliest, so that their sum
// is the time for which the simulation was behind.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/driver/sim/core.h"
#include "runtime/driver/sim/pacer.h"
#include "runtime/driver/sim/timeline.h"
#include "sim/chip/chip.h"
#include "trace/record/event.h"

namespace lanewise::runtime::sim_driver {

class Worker {
 public:
  struct Options {
    bool pacing = true;
    bool check_hazards = false;
  };
  Worker(std::shared_ptr<Core> core, const Options& options);
  // Closes the inbox: the work that runs is finished, work that has not begun is cancelled, every fence is signalled.
  ~Worker();

 private:
  void run();
  void process(Work& work);
  void follow_clock(Work& work);
  Status execute_values(const Work& work);
  void execute(Work& work);
  void transfer(Work& work);
  void wait_for(Work& work);
  void call_host(Work& work);
  void store_profile(const Work& work);
  Status with_names(const Work& work, Status status) const;

  trace::record::Event hardware_event(const Work& work, trace::record::EventKind kind, const Span& span) const;
  void keep(const Work& work, const trace::record::Event& event) const;
  void keep_lag(const Work& work, int64_t end_ns);
  void complete(Work& work, Status status, const Span& span);

  const std::shared_ptr<Core> core_;
  const Options options_;
  Timeline timeline_;
  Pacer pacer_;
  int64_t lag_end_ns_ = 0;
  int64_t clock_offset_ns_;                          // of the axis of timeline_, lag_end_ns_
  std::vector<sim::Binding> bindings_;               // reused by every run
  std::vector<sim::ParameterValue> parameters_;
  std::thread thread_;                               // last: starts when all else is there
};

}  // namespace lanewise::runtime::sim_driver
