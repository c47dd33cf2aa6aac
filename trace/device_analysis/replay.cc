// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/replay.h"

#include <algorithm>
#include <cmath>

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

Picos scaled(Picos t, double factor) { return factor == 1 ? t : Picos(std::llround(static_cast<double>(t.value) * factor)); }

Picos latest_allowed(const Dependencies& d, uint32_t node) {
  const Constraint* c = d.binding(node);
  return c == nullptr ? d.begin(node) : c->allowed;
}

}  // namespace

Picos replay(const Dependencies& d, const Scaling& s) {
  const auto factor = [&](uint32_t node) { return s.work.empty() ? 1.0 : s.work[node]; };
  std::vector<Picos> begin(d.nodes()), end(d.nodes()), done(d.nodes());
  Picos last;
  for (const uint32_t n : d.order()) {
    Picos t(INT64_MIN);
    for (const Constraint& c : d.before(n)) {
      if (c.from == kNone) continue;
      const Picos lag = c.allowed - d.anchor(c);
      switch (c.why) {
        case Why::order: t = std::max(t, begin[c.from] + scaled(lag, factor(c.from))); break;
        case Why::trigger: t = std::max(t, begin[c.from] + scaled(lag, s.dma_fixed)); break;
        case Why::result: t = std::max(t, end[c.from] + scaled(lag, s.semaphore)); break;
        case Why::queue: t = std::max(t, end[c.from] + scaled(lag, s.dma_fixed)); break;
        case Why::semaphore: t = std::max(t, done[c.from] + scaled(lag, s.semaphore)); break;
      }
    }
    begin[n] = t.value == INT64_MIN ? d.begin(n) : t + (d.begin(n) - latest_allowed(d, n));
    const Picos work = d.end(n) - d.begin(n);
    if (!d.is_dma(n)) {
      done[n] = end[n] = begin[n] + scaled(work, factor(n));
    } else {
      const Picos fixed = d.end(n) - d.read(d.dma(n));
      end[n] = begin[n] + scaled(work - fixed, factor(n)) + scaled(fixed, s.dma_fixed);
      const uint32_t after = d.visible_after(n);
      const Picos completion = after == kNone ? d.done(n) - d.end(n) : Picos(d.machine().dma.completion_ps);
      done[n] = end[n] + scaled(completion, s.dma_fixed);
      if (after != kNone) done[n] = std::max(done[n], done[after]);
    }
    last = std::max(last, done[n]);
  }
  return last;
}

std::vector<Picos> slack(const Dependencies& d) {
  std::vector<Picos> out(d.nodes());
  for (uint32_t n = 0; n < d.nodes(); ++n) out[n] = d.last_done() - d.done(n);
  for (auto at = d.order().rbegin(); at != d.order().rend(); ++at) {
    const uint32_t n = *at;
    if (const uint32_t after = d.is_dma(n) ? d.visible_after(n) : kNone; after != kNone) {
      out[after] = std::min(out[after], out[n]);
      out[n] += d.done(n) - d.end(n) - Picos(d.machine().dma.completion_ps);   // it was done before it was visible
    }
    const Picos latest = latest_allowed(d, n);
    for (const Constraint& c : d.before(n)) {
      if (c.from != kNone) out[c.from] = std::min(out[c.from], out[n] + (latest - c.allowed));
    }
  }
  return out;
}

}  // namespace lanewise::trace::device_analysis
