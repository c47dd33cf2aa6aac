// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test } from "vitest";
import { formatDuration, formatExact, formatOffset, roundStep, SESSION_TICK, tickPs } from "./time";

afterEach(() => {
  tickPs.value = SESSION_TICK;
});

test("a device profile counts ps", () => {
  tickPs.value = 1;
  expect(formatDuration(1_578_000)).toBe("1.578 µs");
  expect(formatDuration(750)).toBe("750 ps");
  expect(formatDuration(0)).toBe("0 ps");
  expect(formatOffset(2_500_000, 100_000)).toBe("2.5 µs");
  expect(formatExact(1_578_001)).toBe("1,578,001 ps");
});

test("durations keep the unit that reads best", () => {
  expect(formatDuration(0)).toBe("0 ns");
  expect(formatDuration(999)).toBe("999 ns");
  expect(formatDuration(1234)).toBe("1.234 µs");
  expect(formatDuration(1234567)).toBe("1.235 ms");
  expect(formatDuration(40e9)).toBe("40.00 s");
  expect(formatDuration(-1500)).toBe("-1.500 µs");
  expect(formatDuration(Number.NaN)).toBe("–");
});

test("places on the axis have the digits that their step needs", () => {
  expect(formatOffset(1_204_000_000, 1e6)).toBe("1.204 s");
  expect(formatOffset(2e6, 1e6)).toBe("2 ms");
  expect(formatOffset(8_205_950, 10)).toBe("8.20595 ms");
});

test("two neighbours on the axis never read alike", () => {
  for (const step of [1, 5, 200, 1e4, 5e6]) {
    for (const at of [0, 23e9, 999_999, 1_000_000]) {
      expect(formatOffset(at, step)).not.toBe(formatOffset(at + step, step));
    }
  }
});

test("exact numbers keep every digit", () => {
  expect(formatExact(12345678)).toBe("12,345,678 ns");
});

test("steps are 1, 2 or 5", () => {
  expect([0.7, 1, 1.1, 2.1, 5.5, 999].map(roundStep)).toEqual([1, 1, 2, 5, 10, 1000]);
});
