// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One description of a chip: counts, sizes, clocks, latencies, host link. Data, no behaviour.
//
// Presets are TOML files in machine/data, embedded into the library at build time; every number there stands beside
// its source. A spec is "NAME[,key=value...]", for example "trn2,exec_overhead_ns=0,vector.clock_khz=480000"; NAME may
// also be a path to a .toml file. The keys are the dotted paths of the file; two short names exist because people type
// them: exec_overhead_ns and device_capture_overhead_ns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/units.h"

namespace lanewise::machine {

struct Machine {
  std::string name;   // preset name
  std::string spec;   // what the user asked for, with overrides, canonical order

  struct Chip {
    int64_t cores = 8;                 // physical NeuronCores
    int64_t cores_per_hbm_stack = 2;
    int64_t hbm_bytes_per_core = 0;
  } chip;

  struct Pe {
    Clock clock;
    int64_t fill_drain_cycles = 0;         // begin to end beyond the column count
    int64_t columns_cycles_16bit_num = 1;  // cycles per moving column, 16-bit operands (numerator/denominator)
    int64_t columns_cycles_16bit_den = 1;
    int64_t columns_cycles_fp8_num = 1, columns_cycles_fp8_den = 1;
    int64_t fp32_passes = 2;               // MATMULs per nc_matmul for fp32
    int64_t fp32_cycles_per_column = 2;    // of each of those passes
    int64_t load_weights_cycles = 32;      // per 128 columns, fast weight load; hidden behind the previous matmul
    int64_t throttle_factor = 2;           // slowdown while limited; 1 = no limiter
    int64_t throttle_window_ps = 3413333;                  // the limiter counts in windows of this length, on a clock of its own
    int64_t throttle_release_permille = 750;               // a window at least this busy lets the next one run at full clock
    int64_t throttle_engage_permille = 375;                // a window less busy than this slows the next one
    int64_t load_weights_cycles_fp32 = 256;                // per 128 columns of one of the two fp32 passes
    int64_t load_weights_cycles_transpose_fp32 = 128;      // per 128 columns of fp32 that pass through unchanged
    int64_t load_to_columns_ps = 0;                        // begin of a load to the first column, beyond the load's cycles
    int64_t load_pipeline_ps = 0;                          // begin to end of a load beyond its cycles
    int64_t load_ahead_ps = 0;                             // a load's last stage may begin this long before the columns of the MATMUL before it
    int64_t strided_column_ps = 0;                         // reading a column of weights that lies strided in SBUF
    int64_t array_fill_cycles = 96;                        // part of fill_drain_cycles that runs at the array's (throttled) clock
    int64_t moving_gap_ps = 0;                             // between the columns of two MATMULs at full clock
    int64_t columns_latency_ps = 0;                        // begin of a MATMUL to its first column when nothing holds it up
    int64_t hand_over_ps = 0;                              // sequencer to the engine's queue, a load or the columns of one pass
    int64_t queue_wake_ps = 0;                             // how much sooner than the queue the sequencer itself sees a semaphore
  } pe;

  struct Vector {
    Clock clock;
    int64_t fixed_cycles = 0;              // begin to end beyond the element count
    int64_t min_interval_cycles = 64;
    int64_t tensor_tensor_fp32_cycles = 1; // per element with both inputs in SBUF (2 on v2, 1 on v3)
    int64_t reciprocal_cycles = 8;         // per element
    bool perf_modes = true;                // 2x and 4x modes of v3 and later
    int64_t front_cycles = 22;                             // begin to the next begin beyond the element count
    int64_t back_cycles = 49;                              // end to the next end, of wide reads begin to the next begin, beyond the element count
    int64_t ahead_ps = 0;                                  // an instruction may begin this long before the end of the one two before it
    int64_t ahead_partial_ps = 0;                          // behind partial writes only this long after it
    int64_t wide_stride_cycles_x4 = 8;                     // per four elements of 4 bytes read at a wide stride
  } vector;

  struct Scalar {
    Clock clock;
    int64_t copy_fixed_cycles = 0;
    int64_t function_fixed_cycles = 0;
    int64_t min_interval_cycles = 64;
    int64_t table_load_ps = 0;             // activation-table load on a change of table set
    int64_t front_cycles = 60;                             // begin to the next begin beyond the element count
    int64_t back_cycles = 76;                              // end to the next end beyond the element count
    int64_t ahead_ps = 0;                                  // after the end of the instruction two before, an instruction may begin
    int64_t wide_stride_cycles_x4 = 8;                     // per four elements read at a wide stride
  } scalar;

  struct GpSimd {
    Clock clock;
    int64_t fixed_cycles = 0;
    int64_t min_interval_cycles = 64;
    int64_t iota_fixed_cycles = 150;
    int64_t int64_factor = 2;              // 64-bit integers go through in halves
    bool shares_sbuf_port_with_vector = false;  // v2: the two are mutually exclusive on SBUF
  } gpsimd;

  // An engine's sequencer, as it takes part in what waits and triggers.
  struct Sequencer {
    int64_t post_ps = 0;                    // end of an instruction -> own update visible
    int64_t wake_ps = 0;                    // visible -> waiting instruction begins
    int64_t wait_ps = 0;                    // begin to end of an instruction of the sequencer itself: waits, increments, loops
    int64_t wait_interval_ps = 0;           // ... to the next begin; of any instruction that it hands to the datapath too
    int64_t trigger_ps = 0;                 // begin to end of a DMA trigger
    int64_t trigger_interval_ps = 0;        // ... to the next begin
  };
  struct Sequencers {
    Sequencer pe, vector, scalar, gpsimd, sync;
  } sequencer;

  struct Memory {
    int64_t partitions = 128;
    int64_t sbuf_partition_bytes = 0;      // usable by programs
    int64_t psum_banks = 8;
    int64_t psum_bank_bytes = 2048;        // per partition
    int64_t wide_stride_bytes = 16;        // innermost stride at or above this runs at half rate
    int64_t partial_write_ps = 0;                          // writing one element of less than 4 bytes at a wide stride
    int64_t partial_write_fixed_ps = 0;                    // ... and once an instruction
  } memory;

  struct Dma {
    Clock clock;
    int64_t engines = 16;
    int64_t queues_per_engine = 16;
    int64_t bytes_per_cycle = 32;
    int64_t descriptor_cycles = 4;         // fixed occupancy per descriptor
    int64_t descriptor_max_bytes = 4096;   // larger contiguous runs are split
    int64_t descriptor_min_bytes = 0;      // smaller runs still occupy the engine for this many bytes
    int64_t start_ps = 0;                  // trigger begin -> first descriptor starts
    int64_t drain_ps = 0;                  // last byte read -> last byte written
    int64_t completion_ps = 0;             // written -> semaphore visible
    int64_t software_descriptor_ps = 0;    // extra, per indirect row (GpSimd software descriptors)
    int64_t hbm_bytes_per_second = 0;      // share of one core
    int64_t read_latency_ps = 0;                           // a descriptor's end of occupancy to its last byte read
    int64_t write_latency_ps = 0;                          // last byte read to last byte written
    int64_t semaphore_write_ps = 0;                        // what a descriptor that writes the semaphore takes longer to complete
    int64_t semaphore_busy_ps = 0;                         // how much later the next descriptor behind such a one completes
    int64_t visible_before_complete_ps = 0;                // the semaphore is visible this long before the engine counts the descriptor complete
    int64_t far_engine_ps = 0;                             // engines of the upper half find their descriptors this much later
    int64_t engine_step_ps = 0;                            // ... and each of them this much after the one before
    int64_t first_fetch_ps = 0;                            // the first descriptor an engine ever fetches; engines one after another
    int64_t page_bytes = 4096;                             // device memory is first read page by page
    int64_t page_ps = 0;                                   // the place that all engines of a core ask serves one page in so long
    int64_t page_latency_ps = 0;                           // ... and its answer takes so long
    int64_t write_run_cycles = 0;                          // more for its engine each contiguous run that a descriptor writes
    int64_t write_ahead_ps = 0;                            // reading is never further ahead of writing
    int64_t retire_bytes_per_cycle = 256;                  // behind a descriptor that was late, others complete at this rate
    int64_t path_write_bytes_per_second = 0;               // all engines of a core together, from SBUF, wherever to
    int64_t io_trigger_ps = 0;                             // a trigger that moves inputs or outputs of the program takes longer
    int64_t first_trigger_ps = 0;                          // an engine's first trigger takes longer
    int64_t later_start_less_ps = 0;                       // start_ps is this much shorter for an engine that has triggered before
    int64_t hbm_write_ps = 0;                              // what writing to device memory takes longer than writing to SBUF
    int64_t scattered_read_bytes = 0;                      // device memory spends the time of so many more bytes on each contiguous run read
    int64_t cast_cycles = 0;                               // more a descriptor that changes the type of its elements
  } dma;

  struct Host {
    int64_t link_latency_ns = 0;           // per copy
    int64_t h2d_bytes_per_second = 0;
    int64_t d2h_bytes_per_second = 0;
    int64_t launch_latency_ns = 0;         // submit -> the core may start
    int64_t exec_overhead_ns = 0;          // every execution
    int64_t device_capture_overhead_ns = 0;  // added while DEVICE capture is on
    int64_t overhead_before_percent = 60;  // share of either overhead that lies before the program
  } host;
};

// One number of a machine file with where it comes from; for `lanewise machine` and the docs.
struct Parameter {
  std::string key;
  std::string value;
  std::string source;
};

// Names of the built-in presets: trn1, trn2, trn3.
std::vector<std::string> preset_names();

// Loads a preset or file with overrides. Errors name file, key and reason; an unknown key lists the nearest one.
Result<Machine> load_machine(std::string_view spec);

// The spec of LANEWISE_MACHINE, or "trn2".
std::string default_spec();

// Every number of a loaded spec with its source, in file order. Overridden ones say so.
Result<std::vector<Parameter>> describe_machine(std::string_view spec);

}  // namespace lanewise::machine
