// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { LEAST_SPAN_NS, View, ViewHistory } from "./view";

function view(): View {
  const made = new View();
  made.width = 1000;
  made.bounds(0, 1e6);
  made.set({ from: 0, to: 1e6 });
  return made;
}

describe("view", () => {
  test("the time under the pointer stays where it is when zooming", () => {
    const v = view();
    for (const x of [0, 137, 500, 999]) {
      const at = v.ns(x);
      v.zoom(x, 0.7);
      expect(v.ns(x)).toBeCloseTo(at, 6);
    }
  });

  test("columns of the chosen level are at most a pixel wide and more than half of one", () => {
    const v = view();
    for (let i = 0; i < 8; i++) {
      expect(2 ** v.level).toBeLessThanOrEqual(v.nsPerPixel);
      expect(2 ** v.level * 2).toBeGreaterThan(v.nsPerPixel);
      v.zoom(300, 0.5);
    }
  });

  test("zooming in ends where times are whole ns; level 0 is the finest", () => {
    const v = view();
    for (let i = 0; i < 100; i++) v.zoom(10, 0.1);
    expect(v.span).toBeCloseTo(LEAST_SPAN_NS, 6);
    expect(v.level).toBe(0);
  });

  test("zooming out ends a little beyond the trace, and panning cannot lose it", () => {
    const v = view();
    for (let i = 0; i < 50; i++) v.zoom(10, 3);
    expect(v.span).toBeLessThanOrEqual(1.5e6);
    v.set({ from: 0, to: 1e5 });
    for (let i = 0; i < 50; i++) v.pan(-1000);
    expect(v.to).toBeGreaterThan(0);
    for (let i = 0; i < 500; i++) v.pan(1000);
    expect(v.from).toBeLessThan(1e6);
  });

  test("1 ns in a trace of 40 s can be reached and told from its neighbour", () => {
    const v = new View();
    v.width = 1920;
    v.bounds(0, 40e9);
    v.set(v.whole);
    const at = 23_456_789_012;
    for (let i = 0; i < 60; i++) v.zoom(v.x(at), 0.5);
    expect(v.x(at + 1) - v.x(at)).toBeGreaterThan(50);
  });
});

describe("history", () => {
  test("undo and redo walk over the views that rested", () => {
    const h = new ViewHistory();
    const spans = [0, 1, 2].map((i) => ({ from: i * 100, to: i * 100 + 50 }));
    for (const span of spans) h.rest(span);
    expect(h.undo()).toEqual(spans[1]);
    expect(h.undo()).toEqual(spans[0]);
    expect(h.undo()).toBeNull();
    expect(h.redo()).toEqual(spans[1]);
  });

  test("an undone view that rests again does not forget what can be redone", () => {
    const h = new ViewHistory();
    h.rest({ from: 0, to: 10 });
    h.rest({ from: 100, to: 110 });
    const back = h.undo();
    if (back) h.rest(back);
    expect(h.redo()).toEqual({ from: 100, to: 110 });
  });

  test("a new view after undo drops the redo, and only so many are kept", () => {
    const h = new ViewHistory(3);
    for (let i = 0; i < 10; i++) h.rest({ from: i * 100, to: i * 100 + 10 });
    h.undo();
    h.rest({ from: 5000, to: 5010 });
    expect(h.redo()).toBeNull();
    let steps = 0;
    while (h.undo()) steps++;
    expect(steps).toBe(3);
  });
});
