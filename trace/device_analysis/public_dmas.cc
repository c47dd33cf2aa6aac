// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

double rate(int64_t bytes, Picos time) { return time.value > 0 ? static_cast<double>(bytes) / static_cast<double>(time.value) * 1e12 : 0; }

std::string list_text(const std::vector<int64_t>& values) {
  std::string out = "[";
  for (const int64_t v : values) out += (out.size() > 1 ? "," : "") + std::to_string(v);
  return out + "]";
}

// The public types of queues, from what the other end of the transfer is.
std::string_view queue_type(const device::DeviceProfile& p, const device::DmaRun& run, const Moved& m) {
  if (run.queue != kNone) {
    const std::string& name = p.program.queues[run.queue].name;
    if (name.find("Dynamic") != name.npos) return name.find("HW") != name.npos ? "hardware_dynamic" : "software_dynamic";
  }
  for (const uint32_t tensor : {m.from_tensor, m.to_tensor}) {
    if (tensor == kNone) continue;
    const std::string& kind = p.program.tensors[tensor].kind;
    return kind == "input" ? "input" : kind == "output" ? "output" : "data";
  }
  return run.setup ? "instruction" : "unknown";
}

std::string variable(const device::DeviceProfile& p, const Moved& m) {
  const uint32_t tensor = m.from_tensor != kNone ? m.from_tensor : m.to_tensor;
  return tensor == kNone ? "" : p.program.tensors[tensor].name;
}

std::string memory(const device::DeviceProfile& p, Space space, uint32_t tensor) {
  if (space == Space::sbuf) return "[SB]";
  if (space == Space::psum) return "[PSUM]";
  if (tensor == kNone) return space == Space::hbm ? "[DRAM]" : "";
  const std::string& kind = p.program.tensors[tensor].kind;
  return kind == "input" ? "[INPUT]" : kind == "output" ? "[OUTPUT]" : kind == "constant" ? "[WEIGHT]" : "[DRAM]";
}

void set_side(PublicTable* t, const std::string& side, const device::Operand& o) {
  const bool on_chip = o.space == Space::sbuf || o.space == Space::psum;
  t->set(side + "_sbuf_partitions", on_chip ? "[" + std::to_string(o.partition) + ":" + std::to_string(o.partition + o.partitions) + "]" : "")
      .set(side + "_num_sbuf_partitions", int64_t{on_chip ? o.partitions : 0}).set(side + "_shape", list_text(o.sizes)).set(side + "_steps", list_text(o.steps));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (uint64_t v = static_cast<uint64_t>(o.address); v > 0 || hex.empty(); v >>= 4) hex.insert(hex.begin(), kDigits[v & 15]);
  t->set(side + "_offset", "[0x" + hex + "]");
}

struct Transfer {
  Interval span;
  int64_t read = 0, written = 0;
  size_t first = 0;   // run
};

}  // namespace

void add_public_dmas(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  const std::vector<Moved> all = moved(p);
  const std::vector<int64_t> ids = transfer_ids(p);
  PublicTable packets("DmaPacket");
  std::map<int64_t, Transfer> transfers;
  std::map<int64_t, int64_t> in_transfer;
  for (size_t i = 0; i < p.dmas.size(); ++i) {
    const device::DmaRun& run = p.dmas[i];
    const Moved& m = all[i];
    const auto [at, fresh] = transfers.try_emplace(ids[i], Transfer{{run.begin, run.end}, 0, 0, i});
    at->second.span = {std::min(at->second.span.begin, run.begin), std::max(at->second.span.end, run.end)};
    at->second.read += m.read;
    at->second.written += m.written;
    if (run.dma_engine == UINT16_MAX) continue;   // a whole transfer: its packets are not recorded
    packets.row().times(run.begin, run.end).set("pcore_idx", run.core).set("id", static_cast<int64_t>(i) + 1).set("packet_idx", in_transfer[ids[i]]++)
        .set("packet_aggregation_id", ids[i]).set("engine_idx", run.dma_engine).set("read_bytes", m.read).set("write_bytes", m.written)
        .set("transfer_bytes", run.bytes).set_real("throughput", rate(run.bytes, run.end - run.begin)).set("queue_type", queue_type(p, run, m)).set("crc", int64_t{0});
    if (!variable(p, m).empty()) packets.set("variable", variable(p, m));
    if (run.queue != kNone) packets.set("queue_name", p.program.queues[run.queue].name).set("queue_idx", run.queue);
  }
  b.add(std::move(packets), "the capture records whole transfers, not their packets: see DmaPacketAggregated");

  PublicTable blocks("DmaPacketAggregated");
  for (const auto& [id, transfer] : transfers) {
    const device::DmaRun& run = p.dmas[transfer.first];
    const Moved& m = all[transfer.first];
    const device::DmaDescriptor* d = run.descriptor == kNone ? nullptr : &p.program.descriptors[run.descriptor];
    const device::Operand nothing;
    blocks.row().times(transfer.span.begin, transfer.span.end).set("id", id).set("pcore_idx", run.core).set("block_id", run.trigger == kNone ? int64_t{-1} : int64_t{run.trigger})
        .set("queue_idx", run.queue == kNone ? int64_t{-1} : int64_t{run.queue}).set("queue_name", run.queue == kNone ? "" : p.program.queues[run.queue].name)
        .set("queue_type", queue_type(p, run, m)).set("op", m.to == Space::hbm ? "write" : "read").set("variable", variable(p, m)).set("read_bytes", transfer.read)
        .set("write_bytes", transfer.written).set("transfer_bytes", transfer.written).set_real("throughput", rate(transfer.written, transfer.span.end - transfer.span.begin))
        .set("source", memory(p, m.from, m.from_tensor)).set("dest", memory(p, m.to, m.to_tensor));
    set_side(&blocks, "read", d == nullptr ? nothing : d->from);
    set_side(&blocks, "write", d == nullptr ? nothing : d->to);
    std::string semaphore;
    if (run.trigger != kNone) {
      for (const device::Semaphore& s : p.program.instructions[run.trigger].updates) semaphore = "S[" + std::to_string(s.number) + "]";
    }
    blocks.set("semaphore_id", semaphore);
    for (const Constraint& c : b.dependencies.before(b.dependencies.node_of_dma(static_cast<uint32_t>(transfer.first)))) {
      if (c.why == Why::trigger) blocks.set("trigger", ns_down(b.dependencies.begin(c.from))).set("completion", ns_up(b.dependencies.end(c.from)));
    }
  }
  b.add(std::move(blocks), "the program moved nothing");
}

}  // namespace lanewise::trace::device_analysis
