// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests only: reads an ntrace.pb as trace engines do (packets sorted by time, file order at equal times; an end
// closes the slice on top of its track) and gives the slices. Ends without a begin and begins without an end are counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {

struct ReplayedSlice {
  std::string track, parent_track, name, category;
  int64_t start_ns = 0, end_ns = 0;
  int depth = 0;
  std::vector<uint64_t> flows, ending_flows;
  std::map<std::string, uint64_t> numbers;
  std::map<std::string, std::string> texts;
};

struct Replay {
  std::vector<ReplayedSlice> slices;   // in order of their begin
  Status damage;                       // of the last packet
  int unmatched = 0;
  int packets = 0;

  std::vector<ReplayedSlice> named(std::string_view name) const {
    std::vector<ReplayedSlice> found;
    for (const ReplayedSlice& s : slices) {
      if (s.name == name) found.push_back(s);
    }
    return found;
  }
};

class Replayer {
 public:
  Replay run(std::string_view file) {
    std::vector<ProtoField> packets;
    replay_.damage = read_proto(file, &packets);
    replay_.packets = static_cast<int>(packets.size());
    for (const ProtoField& p : packets) read_packet(fields(p.bytes));
    std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.at < b.at; });
    for (const Point& p : points_) apply(p);
    for (auto& [track, stack] : open_) replay_.unmatched += static_cast<int>(stack.size());
    return std::move(replay_);
  }

 private:
  struct Point { int64_t at; bool begin; uint64_t track; ReplayedSlice slice; };

  static std::vector<ProtoField> fields(std::string_view message) {
    std::vector<ProtoField> out;
    (void)read_proto(message, &out);
    return out;
  }
  static std::pair<uint64_t, std::string> id_and_text(std::string_view message) {
    std::pair<uint64_t, std::string> out;
    for (const ProtoField& f : fields(message)) {
      if (f.number == 1) out.first = f.value;
      if (f.number == 2) out.second = f.bytes;
    }
    return out;
  }

  void read_packet(const std::vector<ProtoField>& packet) {
    int64_t at = 0;
    for (const ProtoField& f : packet) {
      if (f.number == 8) at = f.as_integer();
      if (f.number == 12) {
        for (const ProtoField& i : fields(f.bytes)) interned_[i.number].insert(id_and_text(i.bytes));
      }
      if (f.number == 60) read_track(fields(f.bytes));
    }
    for (const ProtoField& f : packet) {
      if (f.number == 11) read_event(at, fields(f.bytes));
    }
  }

  void read_track(const std::vector<ProtoField>& track) {
    uint64_t id = 0;
    for (const ProtoField& f : track) {
      if (f.number == 1) id = f.value;
    }
    for (const ProtoField& f : track) {
      if (f.number == 2) track_names_[id] = f.bytes;
      if (f.number == 5) parents_[id] = f.value;
      if (f.number == 4) {
        for (const ProtoField& t : fields(f.bytes)) {
          if (t.number == 2) track_names_[id] = "thread " + std::to_string(t.value);
        }
      }
    }
  }

  void read_event(int64_t at, const std::vector<ProtoField>& event) {
    Point p{at, false, 0, {}};
    for (const ProtoField& f : event) {
      switch (f.number) {
        case 9: p.begin = f.value == 1; break;
        case 11: p.track = f.value; break;
        case 10: p.slice.name = interned_[2][f.value]; break;
        case 3: p.slice.category = interned_[1][f.value]; break;
        case 47: p.slice.flows.push_back(f.value); break;
        case 48: p.slice.ending_flows.push_back(f.value); break;
        case 4: {
          std::string key;
          for (const ProtoField& a : fields(f.bytes)) {
            if (a.number == 1) key = interned_[3][a.value];
            if (a.number == 3) p.slice.numbers[key] = a.value;
            if (a.number == 17) p.slice.texts[key] = interned_[29][a.value];
          }
          break;
        }
      }
    }
    points_.push_back(std::move(p));
  }

  void apply(const Point& p) {
    std::vector<size_t>& stack = open_[p.track];
    if (p.begin) {
      ReplayedSlice s = p.slice;
      s.start_ns = p.at;
      s.depth = static_cast<int>(stack.size());
      s.track = track_names_[p.track];
      s.parent_track = track_names_[parents_[p.track]];
      stack.push_back(replay_.slices.size());
      replay_.slices.push_back(std::move(s));
    } else if (stack.empty()) {
      ++replay_.unmatched;
    } else {
      replay_.slices[stack.back()].end_ns = p.at;
      stack.pop_back();
    }
  }

  Replay replay_;
  std::map<uint32_t, std::map<uint64_t, std::string>> interned_;   // by field of InternedData
  std::map<uint64_t, std::string> track_names_;
  std::map<uint64_t, uint64_t> parents_;
  std::vector<Point> points_;
  std::map<uint64_t, std::vector<size_t>> open_;
};

}  // namespace lanewise::trace::record
