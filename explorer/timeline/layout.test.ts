// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { Lane } from "@/engine/api";
import { FakeServer } from "@/engine/fake_server";
import { arrangementOf, moved, NOTHING_ARRANGED, toggled, withOrder } from "./arrangement";
import { firstBelow, laneKey, layout, placesOn } from "./layout";

function lanes(count: number, extra: (i: number) => Partial<Lane> = () => ({})): Lane[] {
  const made = Array.from({ length: count }, (_, i) => ({
    title: `lane ${i}`,
    slices: [[{ start: 0, dur: 1, name: "x" }]],
    ...extra(i),
  }));
  return new FakeServer(made).lanes;
}

const three = lanes(9, (i) => ({
  group: (["framework", "runtime", "hardware"] as const)[Math.floor(i / 3)] ?? "hardware",
}));
const keys = three.map(laneKey);

describe("layout", () => {
  test("three groups in the order in which a launch travels, each below its title; no title of a rank when there is one rank", () => {
    const made = layout(three, NOTHING_ARRANGED);
    expect(made.strips.filter((s) => s.kind !== "lane").map((s) => s.title)).toEqual([
      "Framework",
      "Runtime",
      "Hardware",
    ]);
    expect(made.shown).toHaveLength(9);
  });

  test("what the server proposes to hide is hidden until it is chosen", () => {
    const device = lanes(3, (i) => ({
      group: (["engines", "dma", "semaphores"] as const)[i] ?? "dma",
      hidden: i === 2,
    }));
    expect(layout(device, NOTHING_ARRANGED).shown.map((s) => s.title)).toEqual(["lane 0", "lane 1"]);
    const turned = { ...NOTHING_ARRANGED, hidden: [laneKey(device[0] as Lane), laneKey(device[2] as Lane)] };
    expect(layout(device, turned).shown.map((s) => s.title)).toEqual(["lane 1", "lane 2"]);
  });

  test("strips lie below each other without hole or overlap", () => {
    const made = layout(three, { ...NOTHING_ARRANGED, collapsed: [keys[2] as string] });
    let top = 0;
    for (const strip of made.strips) {
      expect(strip.top).toBe(top);
      top += strip.height;
      expect(strip.inset + strip.rows * strip.rowHeight).toBeLessThanOrEqual(strip.height);
    }
    expect(made.height).toBe(top);
  });

  test("one group of lanes for each rank", () => {
    const made = layout(
      lanes(4, (i) => ({ rank: i % 2 })),
      NOTHING_ARRANGED,
    );
    expect(made.strips.filter((s) => s.kind === "rank").map((s) => [s.title, s.lanes])).toEqual([
      ["Rank 0", 2],
      ["Rank 1", 2],
    ]);
  });

  test("the files of a capture, which have no rank, are one whole: runtime from one, framework from the other", () => {
    const made = layout(
      lanes(2, (i) => ({ rank: null, part: i, group: i === 0 ? "runtime" : "framework" })),
      NOTHING_ARRANGED,
    );
    expect(made.strips.map((s) => s.title)).toEqual(["Framework", "lane 1", "Runtime", "lane 0"]);
  });

  test("pinned lanes are above and not below; hidden ones are nowhere; a closed group stands for its lanes", () => {
    const made = layout(three, {
      pinned: [keys[7] as string],
      order: [],
      collapsed: ["group|Rank 0|framework"],
      hidden: [keys[4] as string],
      tall: [],
    });
    expect(made.pinned.map((s) => s.title)).toEqual(["lane 7"]);
    expect(made.strips.map((s) => s.title)).not.toContain("lane 7");
    expect(made.where.has(4)).toBe(false);
    expect(made.where.get(0)?.title).toBe("Framework");
    expect(made.where.get(0)?.inside.map((lane) => lane.id)).toEqual([0, 1, 2]);
    expect(made.shown.map((s) => s.title)).toEqual(["lane 7", "lane 3", "lane 5", "lane 6", "lane 8"]);
  });

  test("a moved lane changes places with its siblings only", () => {
    const siblings = keys.slice(0, 3);
    const order = withOrder([], moved(siblings, keys[2] as string, keys[0] as string, false));
    const made = layout(three, { ...NOTHING_ARRANGED, order });
    expect(made.shown.map((s) => s.lane?.id)).toEqual([2, 0, 1, 3, 4, 5, 6, 7, 8]);
  });

  test("of hundreds of lanes only those on the screen are placed", () => {
    const made = layout(lanes(500), NOTHING_ARRANGED);
    const places = placesOn(made, 4000, 600);
    expect(places.length).toBeLessThan(40);
    expect(places[0]?.y).toBeLessThanOrEqual(0);
    expect(firstBelow(made.strips, 0)).toBe(0);
  });

  test("pinned lanes leave half of the screen to the others", () => {
    const many = lanes(40);
    const made = layout(many, { ...NOTHING_ARRANGED, pinned: many.slice(0, 30).map(laneKey) });
    const others = placesOn(made, 0, 600).filter((p) => !p.strip.pinned);
    expect(others[0]?.y).toBe(300);
  });
});

test("a deep stack is low enough that the others are on the screen too, unless its reader wants it tall", () => {
  const deep = lanes(4, (i) => (i === 0 ? { rows: 40 } : {}));
  const roomy = layout(deep, NOTHING_ARRANGED, 2000).shown[0];
  const tight = layout(deep, NOTHING_ARRANGED, 560);
  const tiny = layout(deep, NOTHING_ARRANGED, 100).shown[0];
  expect(tight.height).toBeLessThanOrEqual(560);
  expect(tight.shown[0]?.rowHeight).toBeLessThan(roomy?.rowHeight ?? 0);
  expect(tiny?.rowHeight).toBe(4);
  const tall = layout(deep, { ...NOTHING_ARRANGED, tall: [laneKey(deep[0] as Lane)] }, 500).shown[0];
  expect(tall?.rowHeight).toBe(18);
});

test("moving before and behind", () => {
  expect(moved(["a", "b", "c"], "a", "c", true)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], "c", "a", false)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b"], "a", "z", true)).toEqual(["a", "b"]);
  expect(toggled(["a"], "a")).toEqual([]);
});

test("an arrangement that is damaged counts as what is left of it", () => {
  expect(arrangementOf({ pinned: ["a", 3], hidden: "x" })).toEqual({ ...NOTHING_ARRANGED, pinned: ["a"] });
  expect(arrangementOf(null)).toEqual(NOTHING_ARRANGED);
});
