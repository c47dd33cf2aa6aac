// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The model against a capture, kind by kind: what the replay (lab/replay.h) says beside what was recorded.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "lab/replay.h"
#include "trace/device/profile.h"

namespace lanewise::lab {

// Kinds, and what is compared:
//   MATMUL warm, MATMUL throttled, LDWEIGHTS, TENSOR_TENSOR, COPY ACT, COPY DVE, ACT_TABLE_LOAD, DMA_TRIGGER,
//   SEMAPHORE_WAIT      begin to end of each instruction; warm and throttled as the capture has it
//   SEMAPHORE_HOP       end of the instruction that sets a semaphore (a DMA: the semaphore's update) to the begin of the
//                       one that waits for it, where the semaphore and nothing else held it back, in both
//   DMA_OCCUPANCY       descriptor start to its last byte read
//   DMA_LATENCY         descriptor start to complete
//   DMA_START           begin of a trigger to the first start of its descriptors
struct KindRow {
  std::string kind;
  int64_t n = 0;
  double ours_ns = 0, captured_ns = 0;   // means
  double mae_pct = 0;                    // mean of |ours - captured| / captured, in percent
  double mae_ns = 0;                     // mean of |ours - captured|
  double tick_ns = 0;                    // one tick of the unit's clock
  // Of DMA_OCCUPANCY and DMA_LATENCY, else -1: the mae_pct of the best model that knows every transfer but not which of its
  // DMA engines is asked. Descriptors of one transfer, at the same place in their engines' rings and of the same size, differ
  // in nothing that the program says but the engine; such a model gives them one time, and the best one has the time with
  // the least mean error over them, chosen with the capture in hand. Groups of one (floor 0) count as well, so the true floor
  // of such models is not below this. A model that tells engines apart may go below it, as far as the engine decides.
  double floor_pct = -1;
  // The aim: at most 5 %, or at most two ticks.
  bool reached() const { return mae_pct <= 5 || mae_ns <= 2 * tick_ns; }
};

struct KernelRow {
  std::string name;
  double ours_ns = 0, captured_ns = 0;   // trace::device::exec_span: first to last real instruction or descriptor
  double error() const { return captured_ns > 0 ? (ours_ns - captured_ns) / captured_ns : 0; }
  std::vector<KindRow> kinds;
};

struct Validation {
  std::vector<KernelRow> kernels;        // the whole capture, then each core that did anything
  int64_t records = 0, unknown = 0;
  std::vector<std::string> sentences;    // of the ledger
};

// Errors: those of replay; failed_precondition for a capture without a real instruction.
Result<Validation> validate(const trace::device::DeviceProfile& captured, const machine::Machine& machine,
                            const std::string& name);

}  // namespace lanewise::lab
