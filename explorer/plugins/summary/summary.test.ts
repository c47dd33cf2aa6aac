// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fakeTable } from "@/engine/fake_table";
import { rowsOf } from "@/engine/rows";
import { wallParts } from "@/plugins/summary/devices";
import { stepParts } from "@/plugins/summary/steps";
import { sumOfParts } from "@/widgets/stacked_bar";

describe("summary", () => {
  it("adds up to the wall time to the nanosecond, busy first and causes by size", () => {
    const [row] = rowsOf(
      fakeTable("devices", [
        {
          wall_ns: 4871288,
          busy_ns: 309437,
          "causes.host_busy": 3175891,
          "causes.launch_latency": 422406,
          "causes.synchronize": 3963,
          "causes.copy_wait": 9437,
          "causes.queue_empty_start": 821512,
          "causes.queue_empty_end": 128642,
          "causes.profiler": 0,
          "causes.overhead": 0,
          "causes.sim_lag": 0,
          "causes.unknown": 0,
        },
      ]),
    );
    if (!row) throw new Error("no row");
    const parts = wallParts(row);
    expect(sumOfParts(parts)).toBe(row.amount("wall_ns"));
    expect(parts.slice(0, 3).map((part) => part.id)).toEqual(["busy", "host_busy", "queue_empty_start"]);
  });
  it("splits a step into parts that add up", () => {
    const [row] = rowsOf(
      fakeTable("rows", [
        {
          dur_ns: 100,
          kernel_ns: 40,
          communication_ns: 5,
          copy_ns: 5,
          runtime_ns: 20,
          dataloader_ns: 0,
          cpu_ns: 10,
          other_ns: 20,
        },
      ]),
    );
    if (!row) throw new Error("no row");
    expect(sumOfParts(stepParts(row))).toBe(row.amount("dur_ns"));
  });
});
