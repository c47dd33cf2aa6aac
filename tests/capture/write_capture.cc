// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// write_capture <output folder> <launches> <max events per core> <stop|kill>
//
// Records launches from two threads on two cores, prints the session folder and then one line an event as the capture
// returned it: kind nc thread start end launch_id external_id bytes program_hash name. With `kill` it waits until the
// file grew by itself and ends with SIGKILL in the middle of more launches.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "trace/record/capture.h"

using namespace lanewise::trace::record;

namespace {

void launch(uint16_t nc, int64_t* core_time) {
  Event call;
  call.kind = EventKind::nrta_execute_schedule;
  call.nc = nc;
  call.thread = static_cast<uint32_t>(gettid());
  call.launch_id = new_launch_id();
  call.external_id = call.launch_id * 10;
  call.name = intern(nc == 0 ? "aten::mul" : "aten::mean \"odd\" \xc3\xa9");
  call.program_hash = 0x7000000000000001ull + nc;
  call.start_ns = now_ns();
  call.end_ns = now_ns();
  emit(call);

  Event run = call;
  run.kind = EventKind::nc_exec_running;
  run.thread = 0;
  run.start_ns = std::max(*core_time, call.end_ns);   // back to back when the core is behind
  run.end_ns = run.start_ns + 3000;
  run.exec_before_ns = 1000;
  run.capture_before_ns = 500;
  run.exec_after_ns = 250;
  run.capture_after_ns = 250;
  *core_time = run.end_ns;
  emit(run);

  Event copy = run;
  copy.kind = nc == 0 ? EventKind::dma_h2d : EventKind::dma_fill;
  copy.bytes = 4096;
  copy.launch_id = 0;
  emit(copy);
}

void launch_many(uint16_t nc, int count) {
  int64_t core_time = 0;
  for (int i = 0; i < count; ++i) launch(nc, &core_time);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int launches = std::atoi(argv[2]);
  CaptureOptions options;
  options.profile_output_dir = argv[1];
  options.max_events_per_nc = std::strtoull(argv[3], nullptr, 10);
  options.cpu_util = options.host_memory = true;
  auto capture = Capture::start(options, {"trn2", "trn2", "sim-1", "comp-1", "2.15.0", 15'000, 300'000});
  if (!capture.ok()) {
    std::fprintf(stderr, "%s\n", capture.status().to_string().c_str());
    return 1;
  }
  std::printf("%s\n", (*capture)->directory().c_str());
  std::fflush(stdout);
  std::thread other(launch_many, 1, launches);
  launch_many(0, launches);
  other.join();
  if (std::strcmp(argv[4], "kill") == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    std::thread more(launch_many, 1, 1'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    kill(getpid(), SIGKILL);
  }
  const CaptureResult result = (*capture)->stop();
  for (const Event& e : result.events) {
    const std::string kind(event_kind_name(e.kind)), name(interned(e.name));
    std::printf("%s\t%d\t%u\t%lld\t%lld\t%llu\t%llu\t%lld\t%llu\t%s\n", kind.c_str(), e.nc, e.thread,
                static_cast<long long>(e.start_ns), static_cast<long long>(e.end_ns),
                static_cast<unsigned long long>(e.launch_id), static_cast<unsigned long long>(e.external_id),
                static_cast<long long>(e.bytes), static_cast<unsigned long long>(e.program_hash), name.c_str());
  }
  if (!result.write_status.ok()) std::fprintf(stderr, "%s\n", result.write_status.to_string().c_str());
  return result.write_status.ok() ? 0 : 1;
}
