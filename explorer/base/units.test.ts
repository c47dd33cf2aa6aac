// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { SESSION_TICK, tickPs } from "@/base/time";
import { bytes, inUnit, percent, readTime, shares, significant, time, timeOfPs, unitOf } from "@/base/units";

describe("units", () => {
  it("gives a lone time three digits", () => {
    expect(time(412)).toBe("412 ns");
    expect(time(1234)).toBe("1.23 µs");
    expect(time(4_426_114)).toBe("4.43 ms");
    expect(time(-12_345_678)).toBe("-12.3 ms");
    expect(time(Number.NaN)).toBe("–");
  });
  it("gives a column one unit in which whole ns are exact up to 100 ms", () => {
    const unit = unitOf("ns", 99_000_000);
    expect(unit.label).toBe("µs");
    expect(inUnit(7_640, unit)).toBe("7.640");
    expect(inUnit(4_426_114, unit)).toBe("4,426.114");
    expect(unitOf("ns", 90_000).label).toBe("ns");
  });
  it("says that a small share is there", () => {
    expect(percent(0.0001)).toBe("<0.1 %");
    expect(percent(0)).toBe("0.0 %");
    expect(percent(0.1234)).toBe("12.3 %");
  });
  it("reads times as they are written on the command line", () => {
    expect(readTime("12.5ms")).toBe(12_500_000);
    expect(readTime("3 µs")).toBe(3000);
    expect(readTime("40")).toBe(40);
    expect(readTime("ms")).toBeNull();
  });
  it("rounds shares so that they add up to the whole", () => {
    const text = shares([309437, 3175891, 821512, 422406, 128642, 9437, 3963]);
    expect(text.reduce((sum, t) => sum + Number.parseFloat(t), 0)).toBeCloseTo(100, 9);
    expect(text[1]).toBe("65.2 %");
    expect(shares([1, 1e9])).toEqual(["<0.1 %", "100.0 %"]);
  });
  it("knows ps: of the trace in front, of a column, as typed", () => {
    tickPs.value = 1;
    expect(time(1_578_000)).toBe("1.58 µs");
    tickPs.value = SESSION_TICK;
    expect(time(1_578_000)).toBe("1.58 ms");
    expect(timeOfPs(1_578_000)).toBe("1.58 µs");
    const unit = unitOf("ps", 1_578_000);
    expect(inUnit(58_000, unit)).toBe("0.058");
    expect(unit.label).toBe("µs");
    expect(readTime("1.5us", "ps")).toBe(1_500_000);
    expect(readTime("40", "ps")).toBe(40);
  });
  it("gives numbers of mixed units four digits each", () => {
    expect([4.2027, 15, 0.00012345, 78_643_200_000_000, 0].map(significant)).toEqual([
      "4.203",
      "15",
      "0.0001235",
      "78,643,200,000,000",
      "0",
    ]);
  });
  it("gives sizes in powers of two", () => {
    expect(bytes(8_607_232)).toBe("8.21 MiB");
    expect(bytes(3)).toBe("3 B");
  });
});
