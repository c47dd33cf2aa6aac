// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Device, queue and executable: what a driver provides. Every method may be called from any thread.
//
// Device memory is named by addresses of a reserved range that no host code can touch; only the driver can reach what
// is behind them. Work on one queue runs in order; queues of one device share its core. A queue is bounded: a submitter
// that finds it full waits, and a `queue_full` event says how long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/program.h"
#include "machine/machine.h"
#include "runtime/hal/fence.h"

namespace lanewise::runtime {

using DeviceAddress = uintptr_t;

// Who asked for a piece of work; copied into its events and its errors.
struct Origin {
  uint64_t external_id = 0;      // correlation id of the framework's profiler, 0 = none
  uint32_t name = 0;             // interned: op ("aten::mul.Tensor") or graph name
  uint32_t site = 0;             // trace::record::Event::site; 0 = not known
};

struct ParameterValue {          // matches isa::Parameter: f for f32, i for i64
  double f = 0;
  int64_t i = 0;
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual const isa::Program& program() const = 0;
  virtual uint64_t hash() const = 0;
  // Simulated time of one execution without overheads; 0 where the driver has no model.
  virtual int64_t duration_ns() const = 0;
};

struct ExecuteRequest {
  std::shared_ptr<Executable> executable;
  std::vector<DeviceAddress> buffers;        // inputs, then outputs, in program order
  std::vector<ParameterValue> parameters;
  Origin origin;
};

class Queue {
 public:
  virtual ~Queue() = default;
  virtual int id() const = 0;                // 0 = default stream

  // Each returns the fence of the work at once (after waiting for room). Errors here are the caller's: bad address,
  // wrong number of buffers. Everything later rides the fence.
  virtual Result<std::shared_ptr<Fence>> execute(ExecuteRequest request) = 0;
  // `source` is copied before the call returns when `staged` is true; otherwise it must stay valid until the fence.
  virtual Result<std::shared_ptr<Fence>> write(DeviceAddress to, const void* source, int64_t bytes, bool staged,
                                               Origin origin) = 0;
  virtual Result<std::shared_ptr<Fence>> read(void* to, DeviceAddress source, int64_t bytes, Origin origin) = 0;
  virtual Result<std::shared_ptr<Fence>> copy(DeviceAddress to, DeviceAddress source, int64_t bytes, Origin origin) = 0;
  virtual Result<std::shared_ptr<Fence>> fill(DeviceAddress to, uint8_t value, int64_t bytes, Origin origin) = 0;
  // A marker: signalled when all work submitted before it on this queue is done; start = end = device time then. It
  // carries the failure of this queue that nobody has collected, as a read does: whoever waits for the marker builds on
  // the work before it.
  virtual Result<std::shared_ptr<Fence>> marker() = 0;
  // Later work on this queue starts after `fence`. It runs after a failed fence too, but the failure becomes one of
  // this queue (unless it has one already), so that a failed launch on another stream is not silent for who uses its result.
  virtual Status wait_for(std::shared_ptr<Fence> fence) = 0;
  // A host function in queue order (blocking host fallbacks use it never; tests and callbacks do).
  virtual Result<std::shared_ptr<Fence>> host_call(std::function<Status()> function) = 0;

  virtual bool idle() const = 0;
  // Waits for everything submitted so far. Returns and clears the first failure since the last call; work queued
  // behind a failure still runs (its inputs may be garbage, as on a real accelerator), so nothing hangs.
  virtual Status synchronize() = 0;
};

struct MemoryInfo {
  int64_t capacity = 0;   // bytes: smaller of the preset's HBM and a share of host memory
  int64_t used = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual int index() const = 0;                       // neuron:N = physical core N
  virtual const machine::Machine& machine() const = 0;

  // Aligned to 512 bytes. resource_exhausted names wanted, free and capacity.
  virtual Result<DeviceAddress> allocate(int64_t bytes) = 0;
  virtual Status free(DeviceAddress address) = 0;      // the caller has made sure that nobody uses it
  virtual MemoryInfo memory() const = 0;
  // Called on the submitting thread, with no lock held, when memory for a program (constants, scratch) is short; it may
  // call free(), and the driver then tries once more. `allocate` never calls it. Empty = none. One hook a device.
  virtual void set_memory_pressure_hook(std::function<void()> hook) { (void)hook; }

  // Verifies, times (once) and makes resident; the same hash gives the same object. Cache is bounded. `graph_ir`: text of
  // the IR that the program came from, for captures; empty where there is none.
  virtual Result<std::shared_ptr<Executable>> load(const isa::Program& program, std::string_view graph_ir = {}) = 0;
  virtual Result<std::shared_ptr<Queue>> create_queue() = 0;
  virtual Queue& default_queue() = 0;
  virtual Status synchronize() = 0;                    // all queues
  // Whether the caller is the device's own thread (inside a host_call), where a wait for the device would never end.
  virtual bool on_device_thread() const { return false; }
  virtual int64_t launches_open() const = 0;           // submitted, not finished
  // Names (interned) of the open launches' origins, oldest first, at most `limit`.
  virtual std::vector<uint32_t> open_launch_names(size_t limit) const = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;           // "sim", "null"
  virtual int device_count() const = 0;
  virtual Result<Device*> device(int index) = 0;       // made at first use; out_of_range names the valid range
};

}  // namespace lanewise::runtime
