// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrows between slices: who asked for what.
//
//   runtime   operator -> its runtime call; PyTorch's copy of a call -> the same call in the system trace
//   launch    runtime call -> device work                graph   the same, when the call replays a graph
//   autograd  forward operator -> backward operator
//
// In a device profile, between instructions and DMAs:
//
//   semaphore  who set it -> who waited for it      trigger  instruction -> the DMA that it ordered
//   queue      a DMA -> the next one of its queue   engine   an instruction -> a later one of its engine that it held
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/timeline/timeline.h"
#include "trace/analysis/model.h"

namespace lanewise::server::timeline {

enum class ArrowKind : uint8_t { launch, autograd, graph, runtime, semaphore, trigger, queue, engine, count };
std::string_view arrow_kind_name(ArrowKind kind);

struct Arrow {
  trace::schema::EventId from, to;
  ArrowKind kind = ArrowKind::launch;
  std::string_view method;
  float confidence = 1;
  std::optional<int64_t> from_at, to_at;   // the moments it ties; not said: the starts
};

// One step of a way from Python to the device.
struct ChainStep {
  std::string role;
  trace::schema::EventId event;
  std::string_view method;  // how it is tied to what it asked for; "" = it needs no tie
  double confidence = 0;
  std::string text;                 // more about the tie: "s12>=3"
  std::optional<int64_t> after;     // from what it waited for until it began; not said: from the start of the step before
};

struct Chain {
  std::vector<ChainStep> steps;
  std::vector<Arrow> arrows;   // at most kMostArrows
  uint64_t arrows_total = 0;
};
inline constexpr size_t kMostArrows = 200;

// The steps of trace/analysis/chain.h; in a capture folder also the call (runtime) and the execution (hardware) as the system
// trace has them. Arrows: between the steps, and for a host slice to all device work that was asked for inside it.
Result<Chain> find_chain(const trace::analysis::Model& model, const Timeline& timeline, trace::schema::EventId event);

// All arrows of a trace, by start.
class ArrowIndex {
 public:
  ArrowIndex(const trace::analysis::Model& model, const Timeline& timeline);
  struct Tie {
    uint32_t from = 0, to = 0;   // events of part 0
    int64_t from_at = 0, to_at = 0;
    ArrowKind kind = ArrowKind::semaphore;
  };
  ArrowIndex(const std::vector<Tie>& ties, const Timeline& timeline);

  struct Query {
    int64_t from = 0, to = 0;
    std::vector<bool> kinds;              // by ArrowKind
    std::vector<bool> lanes;              // by index of the lane; empty: all
    size_t limit = 0;
  };
  // Those that touch the span and of which an end lies on one of the lanes; evenly thinned out when there are more than the limit.
  std::vector<Arrow> find(const Query& query, uint64_t* total) const;
  size_t size() const { return items_.size(); }

 private:
  struct Item {
    int64_t from_ns = 0, to_ns = 0;
    uint32_t part = 0, from = 0, to = 0, to_part = 0;
    ArrowKind kind = ArrowKind::launch;
    uint8_t method = 0;
    uint16_t confidence = 0;  // in 1/1000
  };
  static constexpr size_t kBlock = 1024;
  void sort();
  const Timeline& timeline_;
  std::vector<Item> items_;       // by from_ns
  std::vector<std::pair<int64_t, int64_t>> blocks_;  // first and last moment of each kBlock items
};

}  // namespace lanewise::server::timeline
