// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, test } from "vitest";
import type { SmallDmas, SmallRegion } from "@/engine/api";
import { FakeServer } from "@/engine/fake_server";
import { session } from "@/engine/session";
import { type Elements, ownSignals, TimelineCore } from "./core";
import { Events } from "./events";
import { Hover } from "./hover";
import { Keyboard } from "./keyboard";
import { Measure } from "./measure";
import { pixelSpans, SmallDmaBands } from "./small_dmas";
import { View } from "./view";

const region = (from: number, to: number, device = "nc0"): SmallRegion => ({
  device,
  from,
  to,
  transfers: 3,
  descriptors: 12,
  bytes: 6144,
  average_bytes: 512,
  text: "12 descriptors of 512 B on average; make them at least 4096 B",
});

let stop = () => {};
afterEach(() => stop());

async function started(answer: SmallDmas, kind: "device" | "session" = "device") {
  const dmas = [
    { start: 0, dur: 600, name: "x -> SBUF" },
    { start: 5000, dur: 100, name: "x -> SBUF" },
  ];
  const fake = new FakeServer([
    { title: "Vector", group: "engines", device: "nc0", slices: [dmas] },
    { title: "q", group: "dma", device: "nc0", slices: [dmas] },
    { title: "q", group: "dma", device: "nc1", slices: [dmas] },
  ]);
  const client = fake.client();
  let asked = 0;
  const changed = Object.assign(Object.create(client), {
    trace: async (id: string) => {
      const info = await client.trace(id);
      return { ...info, trace: { ...info.trace, kind, state: "ready" } };
    },
    smallDmas: async () => {
      asked++;
      return answer;
    },
  });
  const held = session("fake", changed);
  const names = ["root", "stage", "lanes", "ruler", "minimap", "side", "headers", "scrollbar", "line", "mark", "span"];
  const elements = Object.fromEntries(
    names.map((name) => [
      name,
      document.createElement(["lanes", "ruler", "minimap"].includes(name) ? "canvas" : "div"),
    ]),
  ) as unknown as Elements;
  const core = new TimelineCore(held, elements, ownSignals());
  const events = new Events(core);
  const smallDmas = new SmallDmaBands(core);
  const measure = new Measure(core);
  const parts = { core, events, measure, smallDmas, hover: new Hover(core, events, smallDmas) };
  const keyboard = new Keyboard(parts, { markersOpen: { value: false }, editMarker: () => {} });
  stop = () => {
    keyboard.stop();
    smallDmas.stop();
    events.stop();
    measure.stop();
    core.stop();
    held.release();
  };
  await new Promise((done) => setTimeout(done, 10));
  const lanes = held.lanes.value;
  return { ...parts, keyboard, lanes, asked: () => asked };
}

describe("bands of small DMAs", () => {
  const answer = { below_bytes: 2048, total: 2, regions: [region(0, 600), region(4000, 5200, "nc1")] };

  test("lie over the DMA lanes of their core, and over nothing else", async () => {
    const { smallDmas, lanes } = await started(answer);
    const [engine, first, second] = lanes;
    if (!engine || !first || !second) throw new Error("no lanes");
    expect(smallDmas.any).toBe(true);
    expect(smallDmas.at(first, 300)?.average_bytes).toBe(512);
    expect(smallDmas.at(first, 601)).toBeNull();
    expect(smallDmas.at(first, 601, 5)).not.toBeNull();
    expect(smallDmas.at(first, 4500)).toBeNull();
    expect(smallDmas.at(second, 4500)).not.toBeNull();
    expect(smallDmas.at(engine, 300)).toBeNull();
  });

  test("Y takes them away and brings them back", async () => {
    const { smallDmas, keyboard, lanes } = await started(answer);
    const dma = lanes[1];
    if (!dma) throw new Error("no lane");
    keyboard.act("smallDmas");
    expect(smallDmas.shown.value).toBe(false);
    expect(smallDmas.at(dma, 300)).toBeNull();
    keyboard.act("smallDmas");
    expect(smallDmas.at(dma, 300)).not.toBeNull();
  });

  test("are asked for once, and of device profiles only", async () => {
    expect((await started(answer)).asked()).toBe(1);
    stop();
    const other = await started(answer, "session");
    expect(other.asked()).toBe(0);
    expect(other.smallDmas.any).toBe(false);
  });

  test("cover whole pixels once: a thousand in one pixel are one band", () => {
    const view = new View();
    view.width = 100;
    view.from = 0;
    view.to = 100_000;
    const many = Array.from({ length: 1000 }, (_, i) => region(50_000 + i, 50_000 + i));
    expect(pixelSpans(many, view)).toEqual([{ x0: 50, x1: 51 }]);
    expect(pixelSpans([region(-10, 500), region(99_999, 200_000), region(300_000, 300_001)], view)).toEqual([
      { x0: 0, x1: 1 },
      { x0: 99, x1: 100 },
    ]);
  });
});
