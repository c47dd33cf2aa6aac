// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Events to a Perfetto trace (TrackEvent), the content of ntrace.pb.
//
//   process                            one track per thread: runtime calls, as they nest
//     neuron:N                         a group per core, with lanes of its own for
//       NCN nc_exec_running              executions; inside: overhead_before, program, overhead_after
//       NCN dma                          copies of the device
//       NCN sim_lag                      where the simulator was slower than the device
//       NCN events lost                  what was overwritten before it could be written, with the count
//
// Times are Unix ns (clock REALTIME, which is also the trace's primary clock). A flow joins runtime and hardware event of one launch
// id. Annotations: launch_id, external_id, nc_idx, stream, name, bytes, program_hash, site, exec_id and the overhead columns.
// Every string that `begin`, `append` and `lost` add is whole packets, so a file that is cut between them, or anywhere,
// reads up to the cut. Strings are interned; a writer's output is one sequence and must start with `begin`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/record/event.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {

struct ClockPair {
  int64_t realtime_ns = 0, monotonic_ns = 0, boottime_ns = 0;
};
ClockPair read_clocks();

struct TracedProcess {
  int pid = 0;
  std::string name;
  std::vector<std::string> labels;   // shown beside the process: preset, overheads
  ClockPair clocks;
};

class PerfettoWriter {
 public:
  // The packets that come first: clocks, process.
  void begin(const TracedProcess& process, std::string* out);

  // Events in any order. Those of one thread must nest; hardware events that overlap get lanes beside each other.
  // Slices of a thread that touch at one instant are ordered right only within one call.
  void append(const std::vector<Event>& events, std::string* out);

  // `count` events of the core between the two times are not in the trace.
  void lost(uint16_t nc, uint64_t count, int64_t begin_ns, int64_t end_ns, std::string* out);

 private:
  enum class TrackKind : uint8_t { process, thread, core, exec, dma, lag, lost };
  // Annotations; their names are in kKeyNames, in this order.
  enum class Key : uint8_t {
    launch_id, nc_idx, stream, external_id, name, program_hash, bytes, exec_id, exec_before_ns, capture_before_ns,
    exec_after_ns, capture_after_ns, count, site,
  };
  struct Lane { uint64_t uuid; int64_t last_end_ns; };
  struct Slice { const Event* event; int64_t start_ns, end_ns; };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct InternedSet {
    uint32_t field;                                   // in InternedData
    std::unordered_map<std::string, uint64_t, TextHash, std::equal_to<>> ids{};
  };

  uint64_t uuid(TrackKind kind, uint64_t number, uint64_t lane) const;
  uint64_t thread_track(uint32_t thread, uint64_t lane, std::string* out);
  uint64_t core_track(uint16_t nc, std::string* out);
  uint64_t hardware_lane(TrackKind kind, uint16_t nc, const Slice& slice, std::string* out);
  void descriptor(uint64_t uuid, uint64_t parent, std::string_view name, int rank, std::string* out);

  void thread_slices(uint32_t thread, std::vector<Slice>& slices, std::string* out);
  void hardware_slices(TrackKind kind, uint16_t nc, std::vector<Slice>& slices, std::string* out);
  void open_slice(uint64_t track, const Event& event, int64_t at_ns, std::string* out);
  void part(uint64_t track, std::string_view name, int64_t start_ns, int64_t end_ns, std::string* out);
  void close_slice(uint64_t track, int64_t at_ns, std::string* out);

  uint64_t interned_id(InternedSet& set, std::string_view text);
  uint64_t key_id(Key key);
  void annotate(Key key, uint64_t value);
  void annotate_text(Key key, std::string_view value);
  void start_packet(int64_t at_ns);
  void finish_packet(std::string* out);

  int pid_ = 0;
  uint64_t salt_ = 0;
  bool state_cleared_ = false;
  std::unordered_set<uint64_t> known_tracks_;
  std::unordered_map<uint64_t, std::vector<Lane>> lanes_;    // by the uuid of lane 0
  std::unordered_map<uint16_t, uint64_t> executions_;        // exec_id, per core
  std::array<uint64_t, 14> key_ids_{};                       // by Key; 0 = not in the file yet
  InternedSet categories_{1}, names_{2}, annotation_names_{3}, texts_{29};
  ProtoMessage packet_, track_event_, interned_, scratch_;
};

}  // namespace lanewise::trace::record
