// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What hands do: files and folders dropped or chosen, the sample, an answer in SQL taken to the timeline, arrows of every kind,
// two fingers on the lanes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, removeStudy, type Server, startBrowser, startServer, studyRoot } from "./stack";

const scratch = mkdtempSync(join(tmpdir(), "lanewise-e2e-hands-"));

interface TraceEvent {
  ph: string;
  [field: string]: unknown;
}
const slice = (cat: string, name: string, tid: number | string, ts: number, dur: number, args = {}): TraceEvent => ({
  ph: "X",
  cat,
  name,
  pid: cat === "kernel" ? 0 : 1,
  tid,
  ts,
  dur,
  args,
});
const flow = (ph: "s" | "f", cat: string, id: number, tid: number, ts: number): TraceEvent => ({
  ph,
  cat,
  id,
  name: cat,
  pid: 1,
  tid,
  ts,
  bp: "e",
});
function write(path: string, traceEvents: TraceEvent[], rank?: number): string {
  const distributedInfo = rank === undefined ? {} : { distributedInfo: { rank, world_size: 2, backend: "nccl" } };
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, ...distributedInfo, traceEvents }));
  return path;
}

// Two operators and their backward forms on another thread; a graph launch with three kernels behind it.
const training: TraceEvent[] = [
  slice("cpu_op", "aten::mul", 1, 100, 10, { "Sequence number": 1, "Fwd thread id": 0 }),
  slice("cpu_op", "aten::sum", 1, 120, 10, { "Sequence number": 2, "Fwd thread id": 0 }),
  slice("cpu_op", "autograd::engine::evaluate_function: SumBackward0", 2, 200, 10, {
    "Sequence number": 2,
    "Fwd thread id": 1,
  }),
  slice("cpu_op", "autograd::engine::evaluate_function: MulBackward0", 2, 220, 10, {
    "Sequence number": 1,
    "Fwd thread id": 1,
  }),
  flow("s", "fwdbwd", 1, 1, 100),
  flow("f", "fwdbwd", 1, 2, 220),
  flow("s", "fwdbwd", 2, 1, 120),
  flow("f", "fwdbwd", 2, 2, 200),
  slice("cuda_runtime", "cudaGraphLaunch", 1, 300, 20, { correlation: 7, cbid: 311 }),
  ...[0, 1, 2].map((i) =>
    slice("kernel", `replayed_${i}`, 7, 340 + 20 * i, 10, {
      correlation: 7,
      device: 0,
      stream: 7,
      "graph node id": i + 1,
    }),
  ),
];

let browser: Browser;
let server: Server;

beforeAll(async () => {
  server = await startServer([write(join(scratch, "training.json"), training)], [], studyRoot());
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(scratch, { recursive: true, force: true });
  removeStudy();
});

async function home() {
  const watched = await openPage(browser, server.url);
  await watched.page.waitForFunction(() => location.hash !== "");
  await watched.page.goto(`${new URL(".", server.url).href}#home`);
  await watched.page.waitForSelector(".home-title");
  return watched;
}

// As a file manager drops it: the browser gets paths and makes files and folders of them.
async function drop(page: Page, paths: string[]): Promise<void> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await cdp.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
    if (type === "dragOver") await page.waitForSelector(".drop-sign");
  }
  await cdp.detach();
}

const first = (page: Page) => page.locator('[role="grid"][aria-label="Operators"] .table-row').first();
const spoken = (page: Page) => page.evaluate(() => document.querySelector(".tl [aria-live]")?.textContent ?? "");

function ranks(folder: string): string {
  const path = join(scratch, folder);
  mkdirSync(path);
  for (const rank of [0, 1])
    write(join(path, `rank${rank}.json`), [slice("cpu_op", `aten::of_${folder}`, 1, 10, 5)], rank);
  return path;
}

describe("what is dropped on the home page", () => {
  it("opens when it is a file", async () => {
    const { page, strangers, complaints } = await home();
    await drop(page, [write(join(scratch, "dropped.json"), [slice("cpu_op", "aten::dropped", 1, 10, 5)])]);
    await page.waitForFunction(() => location.hash.startsWith("#timeline"));
    await first(page).waitFor();
    expect(await first(page).textContent()).toContain("aten::dropped");
    expect([strangers, complaints]).toEqual([[], []]);
    await page.close();
  });
  it("is one trace of two ranks when it is their folder", async () => {
    const { page, complaints } = await home();
    await drop(page, [ranks("dropped_ranks")]);
    await page.waitForFunction(() => location.hash.startsWith("#timeline"));
    await first(page).waitFor();
    expect(await first(page).textContent()).toContain("aten::of_dropped_ranks");
    expect(await page.locator(".trace-button").textContent()).toContain("dropped_ranks");
    await page
      .locator(".tl-head", { hasText: /rank 1/i })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it("a folder that is chosen is one trace", async () => {
  const { page, complaints } = await home();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose folder …" }).click();
  await (await chooser).setFiles(ranks("chosen_ranks"));
  await page.waitForFunction(() => location.hash.startsWith("#timeline"));
  await first(page).waitFor();
  expect(await first(page).textContent()).toContain("aten::of_chosen_ranks");
  expect(complaints).toEqual([]);
  await page.close();
});

it("the sample opens the study's variants beside each other", async () => {
  const { page, complaints } = await home();
  await page.getByRole("button", { name: "The RMSNorm study" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#compare"));
  // Eager is what the others are compared with.
  const choice = page.locator("select").first();
  await expect.poll(() => choice.locator("option").allTextContents()).toEqual(["fused", "compiled"]);
  expect(complaints).toEqual([]);
  await page.close();
});

describe("an answer in SQL", () => {
  it("is taken to the timeline, one row or all", async () => {
    const { page, complaints } = await home();
    await page.locator(".card-main", { hasText: "training.json" }).first().click();
    await first(page).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.waitForFunction(() => location.hash.startsWith("#sql"));
    await page.getByRole("textbox", { name: "SQL" }).fill("select event, name from events where name like 'aten::%'");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("button", { name: "Show 2 on the timeline" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#timeline"));
    await page.waitForSelector(".tl-head.tl-lane");
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe("arrows", () => {
  it("of forward and backward operators and of a graph's replay are drawn, and their number is told", async () => {
    const { page, complaints } = await home();
    await page.locator(".card-main", { hasText: "training.json" }).first().click();
    await page.waitForSelector(".tl-head.tl-lane");
    await page.focus(".tl-stage");
    await page.keyboard.press("l");
    await page
      .getByText(/\b5 arrows\b/)
      .first()
      .waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "arrows.png") });
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it("two fingers that part zoom in", async () => {
  const { page } = await home();
  await page.locator(".card-main", { hasText: "training.json" }).first().click();
  await page.waitForSelector(".tl-head.tl-lane");
  await page.waitForFunction(() => /span=/.test(location.hash));
  const width = () => {
    const [from = Number.NaN, to = Number.NaN] = /span=(-?\d+)\.\.(-?\d+)/.exec(page.url())?.slice(1).map(Number) ?? [];
    return to - from;
  };
  const before = width();
  const box = await page.locator(".tl-stage").boundingBox();
  if (!box) throw new Error("the lanes have no place on the page");
  const [middle, y] = [box.x + box.width / 2, box.y + 40];
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        type === "touchEnd"
          ? []
          : [
              { x: middle - apart, y, id: 1 },
              { x: middle + apart, y, id: 2 },
            ],
    });
  await touch("touchStart", 50);
  for (let apart = 60; apart <= 200; apart += 10) await touch("touchMove", apart);
  await touch("touchEnd", 200);
  await expect.poll(width).toBeLessThan(before / 3);
  expect(await spoken(page)).not.toContain("error");
  await page.close();
});
