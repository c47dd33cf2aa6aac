// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline in a real browser before a real server: a launch followed from PyTorch to the hardware, gaps and their causes,
// what is kept, and that nothing is too small to be seen. Only keys are used where a mouse is not the point.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, removeStudy, type Server, startBrowser, startServer, studyCaptures } from "./stack";

// One slice of 1 ns in the middle of 40 s of nothing.
const TINY_AT_US = 23_456_789.012;
const scratch = mkdtempSync(join(tmpdir(), "lanewise-e2e-timeline-"));
const tiny = join(scratch, "tiny.pt.trace.json");
const slice = (name: string, ts: number, dur: number) => ({ ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts, dur });
writeFileSync(
  tiny,
  JSON.stringify({
    traceEvents: [slice("first", 0, 1), slice("one_nanosecond", TINY_AT_US, 0.001), slice("last", 39_999_999, 1)],
  }),
);

let browser: Browser;
let server: Server;
let eager = "";
const ids = new Map<string, string>();

beforeAll(async () => {
  eager = studyCaptures().eager;
  server = await startServer([eager, tiny]);
  browser = await startBrowser();
  const { page } = await openPage(browser, server.url);
  const home = await page.evaluate(async () => {
    for (;;) {
      const answer = await (await fetch("api/home")).json();
      if (answer.traces.every((t: { state: string }) => t.state !== "importing")) return answer;
      await new Promise((done) => setTimeout(done, 100));
    }
  });
  for (const one of home.traces) ids.set(one.path, one.id);
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(scratch, { recursive: true, force: true });
  removeStudy();
});

async function show(path: string, query = ""): Promise<Page> {
  const { page } = await openPage(browser, server.url);
  await page.goto(`${new URL(".", server.url).href}#timeline?t=${ids.get(path)}${query}`);
  await page.reload();
  await page.waitForSelector(".tl-head.tl-lane");
  // The picture is there when it has more than its ground and lines.
  await page.waitForFunction(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".tl-stage canvas");
    if (!canvas?.width) return false;
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return new Set(new Uint32Array((data as Uint8ClampedArray).buffer)).size > 2;
  });
  await page.focus(".tl-stage");
  return page;
}

const spoken = (page: Page) => page.evaluate(() => document.querySelector(".tl [aria-live]")?.textContent ?? "");

// Presses a key and waits for what the timeline says then.
async function press(page: Page, key: string): Promise<string> {
  const before = await spoken(page);
  await page.keyboard.press(key);
  await page
    .waitForFunction((old) => document.querySelector(".tl [aria-live]")?.textContent !== old, before, { timeout: 5000 })
    .catch(() => undefined);
  return spoken(page);
}

const visible = (page: Page) => page.evaluate(() => document.querySelector(".tl-corner-ruler b")?.textContent ?? "");

describe("a launch", () => {
  it("is followed from aten::mul to nc_exec_running, each of the three, by keys alone", async () => {
    const page = await show(eager, "&q=aten%3A%3Amul");
    const starts = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const said = await press(page, "n");
      expect(said).toMatch(/^aten::mul, /);
      starts.add(said);
    }
    expect(starts.size).toBe(3);
    expect(await press(page, "n")).toBe([...starts][0]);
    await page.waitForFunction(() => /focus=/.test(location.hash));
    // The chain arrives a moment later than the event.
    let said = "";
    for (let i = 0; i < 60 && !said.startsWith("nc_exec_running"); i++) {
      await page.waitForTimeout(50);
      await page.keyboard.press("j");
      said = await spoken(page);
    }
    expect(said).toMatch(/^nc_exec_running, /);
    await page.close();
  });

  it("has a gap before it whose cause is said", async () => {
    const page = await show(eager);
    const causes = [await press(page, "."), await press(page, "."), await press(page, ".")];
    expect(new Set(causes).size).toBe(3);
    for (const text of causes) expect(text).toMatch(/^Gap of .* on neuron:0, starts at .*: [a-z ]+$/);
    await page.close();
  });

  it("is in the address: a reload shows the same span and event", async () => {
    const page = await show(eager, "&q=aten%3A%3Amul");
    const said = await press(page, "n");
    await page.keyboard.press("f");
    await page.waitForFunction(() => /span=.*focus=|focus=.*span=/.test(location.hash));
    await page.waitForTimeout(400);
    const span = await visible(page);
    await page.reload();
    await page.waitForSelector(".tl-head.tl-lane");
    await expect.poll(() => visible(page)).toBe(span);
    await expect.poll(() => spoken(page)).toBe(said);
    await page.close();
  });
});

describe("nothing vanishes", () => {
  it("1 ns in 40 s is in the picture, and can be reached and told from its neighbours", async () => {
    const page = await show(tiny, "&q=one_nanosecond");
    expect(await visible(page)).toMatch(/^40\.\d+ s$/);
    const coloured = () =>
      page.evaluate(
        (share) => {
          const canvas = document.querySelector<HTMLCanvasElement>(".tl-stage canvas") as HTMLCanvasElement;
          const context = canvas.getContext("2d") as CanvasRenderingContext2D;
          const x = Math.round(canvas.width * share);
          const { data } = context.getImageData(x - 4, 0, 9, canvas.height);
          const strongest = (i: number) =>
            Math.max(data[i] as number, data[i + 1] as number, data[i + 2] as number) -
            Math.min(data[i] as number, data[i + 1] as number, data[i + 2] as number);
          let found = 0;
          for (let i = 0; i < data.length; i += 4) if (strongest(i) > 12) found++;
          return found;
          // The picture has one percent of air on both sides.
        },
        0.01 / 1.02 + TINY_AT_US / 40e6 / 1.02,
      );
    await expect.poll(coloured).toBeGreaterThan(0);
    expect(await press(page, "n")).toMatch(/^one_nanosecond, 1 ns/);
    await page.keyboard.press("f");
    await expect.poll(() => visible(page)).toMatch(/ ns$/);
    await page.close();
  });
});

const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return `${at?.getAttribute("role")}: ${at?.getAttribute("aria-label") ?? at?.textContent}`;
  });

async function walkToThread(page: Page): Promise<void> {
  await page.focus('.tl-grid [tabindex="0"]');
  for (let i = 0; i < 30 && !/^rowheader: thread /.test(await focused(page)); i++)
    await page.keyboard.press("ArrowDown");
}

describe("without a mouse", () => {
  it("lanes and their events are a grid that is walked by arrow keys", async () => {
    const page = await show(eager);
    await walkToThread(page);
    expect(await focused(page)).toMatch(/^rowheader: thread .*, [\d,]+ events/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focused(page)).toMatch(/^gridcell: .+, [\d.]+ \S+, at /);
    expect(await spoken(page)).not.toBe("");
    await press(page, "}");
    await expect.poll(() => focused(page)).toMatch(/^gridcell: /);
    await page.close();
  });

  it("a pinned lane stays pinned over a reload, and keeps the focus when it moves", async () => {
    const page = await show(eager);
    await walkToThread(page);
    await page.keyboard.press("p");
    await page.waitForSelector(".tl-heads-pinned .tl-lane");
    expect(await page.evaluate(() => document.activeElement?.closest(".tl-heads-pinned") !== null)).toBe(true);
    const title = await page.textContent(".tl-heads-pinned .tl-name");
    await page.waitForTimeout(800);
    await page.reload();
    await page.waitForSelector(".tl-heads-pinned .tl-lane");
    expect(await page.textContent(".tl-heads-pinned .tl-name")).toBe(title);
    await page.close();
  });
});

describe("by mouse", () => {
  it("zooms at the pointer, pans, undoes; a measured range has statistics; a marker comes back", async () => {
    const page = await show(eager);
    const whole = await visible(page);
    const box = await (await page.$(".tl-stage"))?.boundingBox();
    if (!box) throw new Error("no stage");
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
    await page.keyboard.down("Control");
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await expect.poll(() => visible(page)).not.toBe(whole);
    await page.waitForTimeout(400);
    // On a slow machine the turns of the wheel are several movements, each with an undo of its own.
    for (let i = 0; i < 20 && (await visible(page)) !== whole; i++) {
      await page.keyboard.press("z");
      await page.waitForTimeout(300);
    }
    expect(await visible(page)).toBe(whole);

    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const panel = page.locator('section[aria-label="Measured range"]');
    await expect.poll(() => panel.locator("dd").first().textContent()).toMatch(/^\d+$/);
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.count()).toBe(0);

    await page.keyboard.press("m");
    await page.waitForFunction(() => document.activeElement?.matches('input[aria-label^="Note of marker"]'));
    await page.keyboard.type("here it begins");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(800);
    await page.reload();
    await page.waitForSelector(".tl-head.tl-lane");
    await page.getByRole("button", { name: "Markers 1" }).click();
    expect(await page.inputValue('input[aria-label="Note of marker 1"]')).toBe("here it begins");
    await page.close();
  });
});
