// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/traffic.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "trace/device_analysis/operands.h"

namespace lanewise::trace::device_analysis {

using device::kNone;
using device::Space;

std::vector<Moved> moved(const device::DeviceProfile& profile) {
  const device::Program& program = profile.program;
  std::unordered_map<std::string_view, uint32_t> tensors;
  for (size_t t = 0; t < program.tensors.size(); ++t) tensors.emplace(program.tensors[t].name, static_cast<uint32_t>(t));
  const auto tensor = [&](const device::Operand& o) {
    const auto found = o.space == Space::hbm ? tensors.find(o.tensor) : tensors.end();
    return found == tensors.end() ? kNone : found->second;
  };
  std::vector<Moved> of_descriptor(program.descriptors.size());
  for (size_t i = 0; i < of_descriptor.size(); ++i) {
    const device::DmaDescriptor& d = program.descriptors[i];
    Moved& m = of_descriptor[i];
    m.from = d.from.space;
    m.to = d.to.space;
    m.from_tensor = tensor(d.from);
    m.to_tensor = tensor(d.to);
    // Elements are the same on both sides, so that the widths alone give what a cast reads. A read that repeats elements
    // (a step of 0) still reads them.
    const int64_t from = dtype_bytes(d.from.dtype), to = dtype_bytes(d.to.dtype);
    m.written = d.bytes;
    m.read = from > 0 && to > 0 ? d.bytes / to * from : d.bytes;
  }
  std::vector<Moved> out;
  out.reserve(profile.dmas.size());
  for (const device::DmaRun& run : profile.dmas) {
    Moved m;
    if (run.descriptor != kNone) m = of_descriptor[run.descriptor];
    // The run knows best how much it was; a run that is a part of its descriptor moves in proportion.
    if (run.bytes > 0 && m.written > 0 && run.bytes != m.written) m.read = static_cast<int64_t>(static_cast<__int128>(m.read) * run.bytes / m.written);
    if (run.bytes > 0) {
      if (m.written == 0) m.read = run.bytes;
      m.written = run.bytes;
    }
    out.push_back(m);
  }
  return out;
}

namespace {

template <typename Keep>
Traffic traffic_of(const device::DeviceProfile& profile, const Keep& keep) {
  Traffic t;
  const auto& tensors = profile.program.tensors;
  t.tensors.resize(tensors.size());
  const std::vector<Moved> all = moved(profile);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!keep(profile.dmas[i])) continue;
    const Moved& m = all[i];
    const int64_t descriptors = profile.dmas[i].descriptors;
    if (m.from == Space::none && m.to == Space::none) t.unknown += m.written;
    if (m.from == Space::hbm) t.hbm_read += m.read;
    if (m.from == Space::sbuf) t.sbuf_read += m.read;
    if (m.from == Space::psum) t.psum_read += m.read;
    if (m.to == Space::hbm) t.hbm_written += m.written;
    if (m.to == Space::sbuf) t.sbuf_written += m.written;
    if (m.to == Space::psum) t.psum_written += m.written;
    for (const auto& [tensor, read, written] : {std::tuple(m.from_tensor, m.read, int64_t{0}), std::tuple(m.to_tensor, int64_t{0}, m.written)}) {
      if (tensor == kNone) continue;
      TensorTraffic& sum = t.tensors[tensor];
      sum.read += read;
      sum.written += written;
      ++sum.transfers;
      sum.descriptors += descriptors;
    }
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorTraffic& sum = t.tensors[i];
    if (tensors[i].kind == "scratch") {
      t.spill_save += sum.written;
      t.spill_reload += sum.read;
      continue;
    }
    const int64_t size = tensors[i].bytes > 0 ? tensors[i].bytes : INT64_MAX;
    t.minimum_read += std::min(size, sum.read);
    t.minimum_written += std::min(size, sum.written);
    t.reloads += sum.read - std::min(size, sum.read);
    t.rewrites += sum.written - std::min(size, sum.written);
  }
  return t;
}

}  // namespace

Traffic traffic(const device::DeviceProfile& profile) {
  return traffic_of(profile, [](const device::DmaRun&) { return true; });
}

Traffic traffic(const Subject& subject) {
  return traffic_of(subject.profile, [&](const device::DmaRun& run) { return subject.holds(run.begin); });
}

}  // namespace lanewise::trace::device_analysis
