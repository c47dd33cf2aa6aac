// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a launch of the study's eager capture down to the engines, and back; the roofline; a NEFF and its NTFF dropped on the page. With
// SCREENSHOTS=DIR each page is kept as a picture, light and dark.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, removeStudy, type Server, sharedHardware, startBrowser, startServer, studyCaptures } from "./stack";

let browser: Browser;
let server: Server;
let eager = "";
let base = "";
let trace = "";
let execution = "";

interface Named {
  id: string;
  kind: string;
  state: string;
}

// In the page, since it has the cookie.
async function ask<T>(page: Page, path: string, body?: unknown): Promise<T> {
  return (await page.evaluate(
    async ([to, what]) => {
      const answer = await fetch(
        to as string,
        what === undefined ? {} : { method: "POST", body: JSON.stringify(what) },
      );
      return await answer.json();
    },
    [path, body],
  )) as T;
}

beforeAll(async () => {
  eager = studyCaptures().eager;
  server = await startServer([eager]);
  browser = await startBrowser();
  base = new URL(".", server.url).href;
  const { page } = await openPage(browser, server.url);
  await page.waitForFunction(() => location.hash !== "");
  for (;;) {
    const { traces } = await ask<{ traces: Named[] }>(page, "api/home");
    if (traces[0]?.state === "ready") {
      trace = traces[0].id;
      break;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  const { lanes } = await ask<{ lanes: { id: number; group: string; kind: string; title: string }[] }>(
    page,
    `api/trace/${trace}/lanes`,
  );
  const info = await ask<{ begin: number; end: number }>(page, `api/trace/${trace}`);
  const hardware = lanes.find((lane) => lane.group === "hardware" && lane.kind === "slices");
  const { event } = await ask<{ event: { id: string } }>(page, `api/trace/${trace}/hit`, {
    lane: hardware?.id,
    row: 0,
    from: info.begin,
    to: info.end,
  });
  execution = event.id;
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  removeStudy();
});

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(folder, `${name}_${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

// From the launch to its device profile, as a reader goes there.
async function toDevice(): Promise<Page & { complaints?: string[] }> {
  const { page } = await openPage(browser, server.url);
  await page.waitForFunction(() => location.hash !== "");
  await page.goto(`${base}#timeline?t=${trace}&focus=${execution}`);
  await page.getByRole("button", { name: "Open the device profile" }).click();
  await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');
  // The address follows a moment later.
  await page.waitForFunction(() => /from=/.test(location.hash));
  return page;
}

// As a file manager drops files on the page: with their paths, where the pointer is.
async function drop(page: Page, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const box = await page.locator(".drop").boundingBox();
  if (!box) throw new Error("the page takes no drop");
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: box.x + box.width / 2, y: box.y + 80, data });
  }
  await session.detach();
}

const front = (page: Page) => page.evaluate(() => /t=([0-9a-f]+)/.exec(location.hash)?.[1] ?? "");
const lanesShown = (page: Page) => page.locator(".tl-head.tl-lane").allTextContents();

describe("device level", () => {
  it("leads from a launch to the engines at that moment, and back to the launch", async () => {
    const page = await toDevice();
    const lanes = (await lanesShown(page)).join("\n");
    for (const lane of ["Sync", "Tensor", "TensorMatrix", "Vector", "Scalar", "GpSimd", "SBUF", "HBM bandwidth"]) {
      expect(lanes).toContain(lane);
    }
    expect(lanes).not.toMatch(/^s\d+value$/m);
    await page.waitForFunction((old) => !location.hash.includes(`t=${old},`) && /from=/.test(location.hash), trace);
    expect(await front(page)).not.toBe(trace);
    // An instruction is a matter of ns.
    expect(await page.locator(".tl-corner-map b").textContent()).toMatch(/ (ns|µs)$/);

    // The first instruction that the page is shown: its neighbours, its text, its source.
    await page.focus(".tl-stage");
    await page.locator(".tables-list, .bottom-tabs").getByRole("tab", { name: "Instructions" }).click();
    await page.locator('[role="grid"][aria-label^="Instructions"] .table-row').first().click();
    await page
      .getByRole("region", { name: "Dependencies" })
      .or(page.locator('[aria-label="Dependencies"]'))
      .first()
      .waitFor();
    await page.locator(".run-text").first().waitFor();
    await picture(page, "device-timeline");

    await page.getByRole("button", { name: "Back to the launch" }).click();
    await page.waitForFunction((id) => location.hash.includes(`t=${id}`) && !location.hash.includes("from="), trace);
    expect(await page.evaluate(() => location.hash)).toContain(`focus=${execution}`);
    await page.close();
  });

  it("keeps the way back in the address", async () => {
    const page = await toDevice();
    await page.waitForFunction(() => /from=/.test(location.hash));
    await page.reload();
    await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');
    await page.locator('[role="grid"][aria-label^="Instructions"] .table-row').first().click();
    await page.getByRole("button", { name: "Back to the launch" }).waitFor();
    await page.close();
  });

  it("shows semaphores when they are asked for", async () => {
    const page = await toDevice();
    await page.getByRole("button", { name: /^Lanes/ }).click();
    await page.getByLabel("Find a lane").fill("semaphores");
    const first = page.locator(".tl-check").first();
    const name = ((await first.textContent()) ?? "").split("\n")[0]?.trim() ?? "";
    expect(await first.locator("input").isChecked()).toBe(false);
    await first.locator("input").check();
    await page.waitForFunction(
      (text) => [...document.querySelectorAll(".tl-head.tl-lane")].some((head) => head.textContent?.includes(text)),
      name.match(/s\d+/)?.[0] ?? "?",
    );
    await page.close();
  });

  it("shows where small DMAs follow each other, says why, and hides it", async () => {
    const page = await toDevice();
    const id = await front(page);
    const { regions, below_bytes } = await ask<{ below_bytes: number; regions: { from: number; to: number }[] }>(
      page,
      `api/trace/${id}/small-dmas`,
    );
    expect(regions.length).toBeGreaterThan(0);
    const { begin, end } = await ask<{ begin: number; end: number }>(page, `api/trace/${id}`);
    await page.goto(`${base}#timeline?t=${id}&span=${begin}..${end}`);
    const band = page.getByRole("button", { name: "Small DMAs" });
    await band.waitFor();
    expect(await band.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Legend" }).click();
    expect(await page.locator(".tl-legend").textContent()).toContain(
      `descriptors below ${below_bytes.toLocaleString("en-US")} B`,
    );
    await page.getByRole("button", { name: "Close Legend" }).click();

    // Over the middle of the longest stretch, on the lane of a queue.
    const lane = await page.locator('.tl-head.tl-dma:has-text("q_sync_0")').boundingBox();
    const stage = await page.locator(".tl-stage").boundingBox();
    if (!lane || !stage) throw new Error("no lane of a queue");
    const longest = [...regions].sort((a, b) => b.to - b.from - (a.to - a.from))[0] as { from: number; to: number };
    const x = stage.x + (((longest.from + longest.to) / 2 - begin) / (end - begin)) * stage.width;
    await page.mouse.move(x, lane.y + lane.height / 2);
    await page.locator('.tl-card:has-text("descriptors of")').waitFor();
    expect(await page.locator(".tl-card").textContent()).toMatch(/make them at least \d+ B/);
    await picture(page, "device-small-dmas");

    const amber = () =>
      page.locator("canvas.tl-canvas").evaluate((canvas: HTMLCanvasElement) => {
        const { data } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
          0,
          0,
          canvas.width,
          canvas.height,
        );
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          if (data[i] === 0xd9 && data[i + 1] === 0x8a && data[i + 2] === 0) count++;
        }
        return count;
      });
    expect(await amber()).toBeGreaterThan(20);
    await page.mouse.move(x, 10);
    await band.click();
    await page.waitForTimeout(200);
    expect(await amber()).toBe(0);
    expect(await band.getAttribute("aria-pressed")).toBe("false");
    await page.close();
  });

  it("has every question as a table", async () => {
    const page = await toDevice();
    const id = await front(page);
    for (const panel of ["instructions", "stalls", "dma", "device-memory", "critical-path"]) {
      await page.goto(`${base}#tables?t=${id}&panel=${panel}`);
      await page.waitForSelector('[role="grid"] .table-row');
    }
    await picture(page, "device-tables");
    await page.close();
  });

  it("limits tables to the range marked on the timeline, and keeps that in the address", async () => {
    const page = await toDevice();
    const id = await front(page);
    const { end } = await ask<{ end: number }>(page, `api/trace/${id}`);
    const choice = page.getByLabel("Which time the table speaks of");
    const rows = async () =>
      Number(await page.locator('[role="grid"][aria-label^="DMA"]').getAttribute("aria-rowcount"));
    await page.goto(`${base}#tables?t=${id}&panel=dma`);
    await page.getByLabel("Which table of DMA").selectOption("transfers");
    await page.waitForSelector('[role="grid"][aria-label="DMA, one by one"] .table-row');
    const all = await rows();
    expect(await choice.inputValue()).toBe("whole");

    await page.goto(`${base}#timeline?t=${id}&range=0..${Math.round(end / 2)}&panel=dma`);
    await page.getByLabel("Which table of DMA").selectOption("transfers");
    await page.waitForFunction(
      (most) => {
        const grid = document.querySelector('[role="grid"][aria-label="DMA, one by one"]');
        return grid !== null && Number(grid.getAttribute("aria-rowcount")) < most;
      },
      all,
      { polling: 100 },
    );
    expect(await choice.inputValue()).toBe("range");
    await picture(page, "device-range");

    await choice.selectOption("whole");
    await page.waitForFunction(() => /[&?]only=whole/.test(location.hash));
    await page.reload();
    await page.waitForSelector('[role="grid"][aria-label^="DMA"] .table-row');
    expect(await choice.inputValue()).toBe("whole");
    await choice.selectOption("visible");
    await page.waitForFunction(() => /[&?]only=visible/.test(location.hash));
    await page.close();
  });

  it("says what bounds the program, and ties point, row and timeline", async () => {
    const page = await toDevice();
    const id = await front(page);
    await page.goto(`${base}#roofline?t=${id}`);
    await page.waitForSelector(".roofline-point");
    expect(await page.locator(".roofline-line.strong").count()).toBe(2);
    const row = page.locator('.roofline-table .table-row:has-text("opcode")').first();
    await row.click();
    await page.getByRole("button", { name: "Show on the timeline" }).waitFor();
    const words = await page.locator(".roofline-words").textContent();
    expect(words).toMatch(/bound|waits|nothing/);
    await picture(page, "device-roofline");
    const { violations } = await new AxeBuilder({ page }).include(".roofline").analyze();
    expect(violations.filter((v) => v.impact === "serious" || v.impact === "critical")).toEqual([]);
    await page.getByRole("button", { name: "Show on the timeline" }).click();
    await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');
    await page.close();
  });

  it("sums up the engines, with and without the launch's overhead", async () => {
    const page = await toDevice();
    const id = await front(page);
    await page.goto(`${base}#device?t=${id}`);
    await page.waitForSelector(".device-figure");
    expect(await page.locator(".device-figure dt").allTextContents()).toEqual(["MFU", "HFU", "MBU", "Intensity"]);
    expect(await page.locator(".device-engines tr").count()).toBe(5);
    await page.waitForSelector('[aria-label="Metrics"] .table-row');
    await picture(page, "device-summary");
    const { violations } = await new AxeBuilder({ page }).include(".summary").analyze();
    expect(violations.filter((v) => v.impact === "serious" || v.impact === "critical")).toEqual([]);
    await page.close();
  });

  it("opens a real pair that is dropped, whatever its files are called, and says what is missing of a half", async (test) => {
    const files = sharedHardware("conv2d_3_float32_smaller");
    if (!files) return test.skip("the public device captures are not in ../shared/hardware");
    const folder = mkdtempSync(join(tmpdir(), "lanewise-e2e-drop-"));
    const [program, run] = [join(folder, "program.bin"), join(folder, "run")];
    cpSync(files.neff, program);
    cpSync(files.ntff, run);
    const { page } = await openPage(browser, server.url);
    await page.waitForFunction(() => location.hash !== "");
    const refused = page.locator(".upload.failed");
    for (const [half, missing] of [
      [files.neff, "the .ntff of a run is missing"],
      [files.ntff, "the .neff is missing"],
      [program, "the .ntff of a run is missing"],
      [run, "the .neff is missing"],
    ] as const) {
      await page.goto(`${base}#home`);
      await drop(page, [half]);
      await refused.waitFor();
      expect(await refused.textContent()).toContain(missing);
      if (half === files.ntff) await picture(page, "device-half-dropped");
      await refused.getByRole("button", { name: "Dismiss" }).click();
    }
    for (const pair of [
      [program, run],
      [files.ntff, files.neff],
    ]) {
      await page.goto(`${base}#home`);
      await drop(page, pair);
      await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');
      expect(await page.locator(".upload.failed").count()).toBe(0);
      await page.waitForFunction(() => /^#timeline\?t=/.test(location.hash));
      const id = await front(page);
      const { traces } = await ask<{ traces: Named[] }>(page, "api/home");
      expect(traces.find((one) => one.id === id)).toMatchObject({ kind: "device", state: "ready" });
      await page.locator('[role="grid"][aria-label^="Instructions"] .table-row').first().waitFor();
    }
    await picture(page, "device-real-dropped");
    rmSync(folder, { recursive: true, force: true });
    await page.close();
  });

  it("opens a pair that is chosen, and says what is missing of a half", async () => {
    const neff = readdirSync(eager).find((name) => name.endsWith(".neff")) ?? "";
    const hash = /neff_(\d+)_/.exec(neff)?.[1] ?? "none";
    const ntff = readdirSync(eager).find((name) => name.startsWith(hash) && name.endsWith(".ntff")) ?? "";
    const { page } = await openPage(browser, server.url);
    await page.waitForFunction(() => location.hash !== "");
    await page.goto(`${base}#home`);
    const choose = async (files: string[]) => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Choose file …" }).click(),
      ]);
      await chooser.setFiles(files.map((name) => join(eager, name)));
    };
    await choose([ntff]);
    const refused = page.locator(".upload.failed");
    await refused.waitFor();
    expect(await refused.textContent()).toContain(".neff");
    await refused.getByRole("button", { name: "Dismiss" }).click();
    await choose([neff, ntff]);
    await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');
    await page.close();
  });
});
