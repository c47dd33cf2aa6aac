// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts behind the picture, against the fake server: what a click or a key asks, and what the rest of the page hears of it.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Chain, StepRequest, TraceEvent } from "@/engine/api";
import { FakeServer } from "@/engine/fake_server";
import { session } from "@/engine/session";
import { ServerError } from "@/engine/transport";
import { type Elements, ownSignals, TimelineCore } from "./core";
import { Events } from "./events";
import { Hover } from "./hover";
import { keep } from "./kept";
import { Keyboard } from "./keyboard";
import { laneKey } from "./layout";
import { AlignedViews } from "./link";
import { Measure } from "./measure";
import { SmallDmaBands } from "./small_dmas";

const NAMES = ["root", "stage", "lanes", "ruler", "minimap", "side", "headers", "scrollbar", "line", "mark", "span"];

function elements(): Elements {
  const made = NAMES.map((name) => {
    const canvas = ["lanes", "ruler", "minimap"].includes(name);
    return [name, document.createElement(canvas ? "canvas" : "div")];
  });
  return Object.fromEntries(made) as unknown as Elements;
}

const wait = (ms = 0) => new Promise((done) => setTimeout(done, ms));

function server(): FakeServer {
  const ops = Array.from({ length: 10 }, (_, i) => ({ start: i * 1000, dur: 600, name: `op${i}` }));
  const kernels = Array.from({ length: 10 }, (_, i) => ({ start: i * 1000 + 300, dur: 500, name: `kernel${i}` }));
  return new FakeServer([
    { title: "thread", slices: [ops] },
    { title: "stream", group: "hardware", device: "0", slices: [kernels] },
  ]);
}

let stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
});

async function started(fake: FakeServer, change: Partial<ReturnType<FakeServer["client"]>> = {}) {
  const client = Object.assign(Object.create(fake.client()), change);
  const held = session("fake", client);
  const core = new TimelineCore(held, elements(), ownSignals());
  const events = new Events(core);
  const measure = new Measure(core);
  const smallDmas = new SmallDmaBands(core);
  const parts = { core, events, measure, smallDmas, hover: new Hover(core, events, smallDmas) };
  const keyboard = new Keyboard(parts, { markersOpen: { value: false }, editMarker: () => {} });
  stops.push(() => {
    keyboard.stop();
    smallDmas.stop();
    events.stop();
    measure.stop();
    core.stop();
    held.release();
  });
  await wait(5);
  return { ...parts, keyboard, client };
}

describe("events", () => {
  test("a click puts the event in front and tells the page", async () => {
    const { core, events } = await started(server());
    await events.chooseAt({ lane: 1, row: 0, from: 3300, to: 3400 });
    expect(core.signals.focus.value).toBe(events.event.value?.id);
    expect(core.signals.selection.value).toMatchObject({ text: "kernel3", token: 0 });
    expect(core.front).toEqual({ lane: 1, row: 0, from: 3300, to: 3800 });
    expect(events.spoken.value).toContain("kernel3, 500 ns");
  });

  test("next and previous stay in the row and end with a word", async () => {
    const { events } = await started(server());
    await events.chooseAt({ lane: 0, row: 0, from: 8100, to: 8200 });
    await events.step("next");
    expect(events.event.value?.name).toBe("op9");
    await events.step("next");
    expect(events.event.value?.name).toBe("op9");
    expect(events.spoken.value).toBe("No next event.");
    await events.step("previous");
    expect(events.event.value?.name).toBe("op8");
  });

  test("an event that another part of the page focuses is fetched and shown; its selection of many stays", async () => {
    const { core, events } = await started(server());
    core.signals.selection.value = { events: ["3", "4"], token: 7, text: "2 × op" };
    core.signals.focus.value = "3";
    await wait(5);
    expect(events.event.value?.name).toBe("op3");
    expect(core.signals.selection.value.token).toBe(7);
  });

  test("J and K walk along the chain and keep it", async () => {
    const fake = server();
    const found = async (id: string) => fake.client().event("fake", id);
    const [op, kernel] = [(await found("2")) as TraceEvent, (await found("12")) as TraceEvent];
    const step = (event: TraceEvent) => ({
      role: "op",
      event,
      name: event.name,
      start_ns: event.start_ns,
      dur_ns: event.dur_ns,
      method: null,
      confidence: null,
      after_ns: null,
    });
    const chain: Chain = { steps: [step(op), step(kernel)], arrows: [], arrows_total: 0 };
    const asked = vi.fn(async () => chain);
    const { core, events, keyboard } = await started(fake, { chain: asked });
    core.signals.focus.value = "2";
    await wait(5);
    keyboard.act("chainNext");
    expect(events.event.value?.name).toBe("kernel2");
    keyboard.act("chainNext");
    expect(events.spoken.value).toBe("The chain ends here.");
    keyboard.act("chainPrevious");
    expect(events.event.value?.name).toBe("op2");
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test("a late answer does not overtake a newer one", async () => {
    const fake = server();
    const { events, core } = await started(fake, {
      event: async (id: string, event: string, signal?: AbortSignal) => {
        await wait(event === "1" ? 30 : 1);
        if (signal?.aborted) throw new DOMException("stopped", "AbortError");
        return fake.client().event(id, event);
      },
    });
    core.signals.focus.value = "1";
    core.signals.focus.value = "5";
    await wait(50);
    expect(events.event.value?.name).toBe("op5");
    expect(core.failure.value).toBeNull();
  });

  test("a gap is stepped to on the lane of gaps of the device in front", async () => {
    const fake = server();
    const gaps = fake.lanes.length;
    fake.lanes.push({ ...(fake.lanes[1] as (typeof fake.lanes)[0]), id: gaps, kind: "gaps", title: "idle" });
    const asked: StepRequest[] = [];
    const { events, core } = await started(fake, {
      step: async (_id: string, request: StepRequest) => {
        asked.push(request);
        return { event: null, gap: { from: 800, to: 1300, cause: "host_busy", device: "0" } };
      },
    });
    await events.stepGap("next");
    expect(asked[0]).toMatchObject({ lane: gaps, what: "gap", dir: "next" });
    expect(core.front).toMatchObject({ lane: gaps, from: 800, to: 1300 });
    expect(events.spoken.value).toMatch(/starts at 800 ns: host busy$/);
  });

  test("a server that fails is told, not swallowed", async () => {
    const { core, events } = await started(server(), {
      hit: () => Promise.reject(new ServerError(410, "the file is gone")),
    });
    await events.chooseAt({ lane: 0, row: 0, from: 0, to: 1 });
    expect(core.failure.value).toBe("the file is gone");
  });
});

describe("view", () => {
  test("the whole trace first; a view that was asked for instead", async () => {
    const { core } = await started(server());
    expect(core.view.from).toBeLessThan(0);
    expect(core.view.to).toBeGreaterThan(9800);
    const held = session("fake", server().client());
    const signals = ownSignals();
    signals.visible.value = { from: 2000, to: 3000 };
    const other = new TimelineCore(held, elements(), signals);
    stops.push(
      () => other.stop(),
      () => held.release(),
    );
    await wait(5);
    expect([other.view.from, other.view.to]).toEqual([2000, 3000]);
  });

  test("the page hears of a movement once it rests, and undo goes back", async () => {
    const { core, keyboard } = await started(server());
    await wait(200);
    const whole = core.signals.visible.value;
    core.setView({ from: 1000, to: 2000 });
    core.setView({ from: 1100, to: 2000 });
    expect(core.signals.visible.value).toEqual(whole);
    await wait(200);
    expect(core.signals.visible.value).toEqual({ from: 1100, to: 2000 });
    keyboard.act("undo");
    expect(core.view.from).toBeCloseTo(whole.from, 3);
    keyboard.act("redo");
    expect(core.view.from).toBeCloseTo(1100, 3);
  });

  test("undo leads back to the first view also when it had no time to rest", async () => {
    const { core, keyboard } = await started(server());
    const whole = { ...core.view.whole };
    core.setView({ from: 1100, to: 2000 });
    await wait(200);
    keyboard.act("undo");
    expect(core.view.from).toBeCloseTo(whole.from, 3);
  });

  test("reveal brings a span into view with air around it", async () => {
    const { core } = await started(server());
    core.signals.reveal.value = { span: { from: 5000, to: 5600 }, lane: null };
    expect(core.view.from).toBeLessThan(5000);
    expect(core.view.to).toBeGreaterThan(5600);
    expect(core.view.span).toBeLessThan(1000);
  });

  test("when an import ends and its zero moves, the same moments stay on the screen", async () => {
    const fake = server();
    const { core } = await started(fake);
    core.setView({ from: 2000, to: 3000 });
    Object.assign(fake.infoExtra, { origin: "1700000000000000500" });
    await core.session.refresh();
    expect([core.view.from, core.view.to]).toEqual([1500, 2500]);
  });

  test("an event that is on the screen moves nothing; one that is not comes with air around it", async () => {
    const { core } = await started(server());
    const whole = { from: core.view.from, to: core.view.to };
    core.showSpan(0, 600);
    expect({ from: core.view.from, to: core.view.to }).toEqual(whole);
    core.setView({ from: 1000, to: 2000 });
    core.showSpan(5000, 5600);
    expect(core.view.from).toBeLessThan(5000 - 100);
    expect(core.view.to).toBeGreaterThan(5600 + 100);
    expect(core.view.span).toBeCloseTo(1000, 6);
  });

  test("timelines that are linked show the same moments around their zeros", async () => {
    const aligned = new AlignedViews();
    const make = async (zero: number) => {
      const held = session("fake", server().client());
      const core = new TimelineCore(held, elements(), ownSignals(), aligned.member(zero));
      stops.push(
        () => core.stop(),
        () => held.release(),
      );
      await wait(5);
      return core;
    };
    const a = await make(1000);
    const b = await make(3000);
    a.setView({ from: 1500, to: 2500 });
    expect([b.view.from, b.view.to]).toEqual([3500, 4500]);
    b.zoom(0, 0.5);
    expect(a.view.span).toBeCloseTo(500, 6);
    // Also where one of them has nothing any more: they must not drift apart.
    a.fit();
    expect(b.view.from - 3000).toBeCloseTo(a.view.from - 1000, 6);
    expect(b.view.to - 3000).toBeCloseTo(a.view.to - 1000, 6);
  });
});

describe("measuring", () => {
  test("a range is set in either direction and counted over the lanes that are shown", async () => {
    const { core, measure } = await started(server());
    measure.setRange(4000, 2000);
    expect(core.signals.range.value).toEqual({ from: 2000, to: 4000 });
    expect(measure.statistics.value?.numbers).toBeNull();
    await wait(200);
    expect(measure.statistics.value?.numbers?.total).toBe(4);
    measure.scope.value = "hardware";
    await wait(200);
    expect(measure.statistics.value?.numbers?.total).toBe(2);
    measure.clear();
    expect(core.signals.range.value).toBeNull();
    expect(measure.statistics.value).toBeNull();
  });

  test("hidden lanes are not counted", async () => {
    const fake = server();
    const { core, measure } = await started(fake);
    const key = laneKey(fake.lanes[0] as never);
    core.arrangement.value = { ...core.arrangement.value, hidden: [key] };
    measure.setRange(2000, 4000);
    await wait(200);
    expect(measure.statistics.value?.numbers?.total).toBe(2);
  });
});

describe("kept", () => {
  beforeEach(() => vi.useRealTimers());

  test("arrangement and markers come back, and changes are written once", async () => {
    const fake = server();
    const key = laneKey(fake.lanes[1] as never);
    fake.kept.set("pins-fake", { pinned: [key] });
    const writes: string[] = [];
    const { core } = await started(fake, {
      keepState: async (name: string, value: unknown) => {
        writes.push(name);
        fake.kept.set(name, value);
      },
    });
    stops.push(keep(core));
    await wait(5);
    expect(core.layout.value.pinned.map((s) => s.title)).toEqual(["stream"]);
    core.markers.value = [{ at: 1, note: "" }];
    core.markers.value = [{ at: 1, note: "a" }];
    await wait(500);
    expect(writes).toEqual(["markers-fake"]);
    expect(fake.kept.get("markers-fake")).toEqual([{ at: 1, note: "a" }]);
  });

  test("what changed shortly before the timeline goes is written", async () => {
    const fake = server();
    const { core } = await started(fake);
    const stop = keep(core);
    await wait(5);
    core.markers.value = [{ at: 7, note: "last" }];
    stop();
    await wait(5);
    expect(fake.kept.get("markers-fake")).toEqual([{ at: 7, note: "last" }]);
  });
});
