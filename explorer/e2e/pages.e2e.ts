// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every page: it is there, it has no serious fault for screen readers and keyboards, it asks nobody but its server. With
// SCREENSHOTS=DIR each is kept as a picture.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, removeStudy, type Server, sharedTrace, startBrowser, startServer, studyCaptures } from "./stack";

// A trace with operators, steps, memory and a stack; without the shared folder, and for pictures, the study's, which has no memory.
const shared = process.env.SCREENSHOTS ? null : sharedTrace("cuda_h100_bert_small.json.gz");
let browser: Browser;
let server: Server;
let base = "";
let study: string[] = [];
let trace = "";
const ids: Record<string, string> = {};

beforeAll(async () => {
  study = Object.values(studyCaptures());
  trace = shared ?? study[0] ?? "";
  server = await startServer([...new Set([...study, trace])]);
  browser = await startBrowser();
  const { page } = await openPage(browser, server.url);
  base = new URL(".", server.url).href;
  const home = await page.evaluate(async () => {
    for (;;) {
      const answer = await (await fetch("api/home")).json();
      if (answer.traces.every((t: { state: string }) => t.state === "ready")) return answer;
      await new Promise((done) => setTimeout(done, 200));
    }
  });
  for (const one of home.traces) ids[one.path] = one.id;
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  removeStudy();
});

// A page of its own, signed in, in light or dark.
async function look(theme: "light" | "dark" = "light") {
  const watched = await openPage(browser, server.url);
  await watched.page.emulateMedia({ colorScheme: theme });
  // The page chooses where to begin; what a test goes to comes after that.
  await watched.page.waitForFunction(() => location.hash !== "");
  // What the server refuses is said on the page; the browser's own line about it is no fault.
  const faults = () => watched.complaints.filter((text) => !text.startsWith("Failed to load resource"));
  return { ...watched, faults };
}

const PAGES: { name: string; hash: () => string; ready: string }[] = [
  { name: "home", hash: () => "#home", ready: ".card" },
  { name: "timeline", hash: () => `#timeline?t=${ids[trace]}`, ready: ".table-row" },
  { name: "summary", hash: () => `#summary?t=${ids[trace]}`, ready: ".finding" },
  { name: "tables", hash: () => `#tables?t=${ids[trace]}&panel=gaps`, ready: ".table-row" },
  { name: "flame", hash: () => `#flame?t=${ids[trace]}`, ready: ".flame-canvas" },
  { name: "memory", hash: () => `#memory?t=${ids[trace]}`, ready: shared ? ".memory-plot canvas" : ".notice" },
  {
    name: "compare",
    hash: () => `#compare?t=${study.map((path) => ids[path]).join()}`,
    ready: ".metrics",
  },
  { name: "sql", hash: () => `#sql?t=${ids[trace]}`, ready: ".sql-text, .notice" },
];

describe.each(["light", "dark"] as const)("in %s colours", (theme) => {
  it.each(PAGES)("$name has no serious fault", async ({ name, hash, ready }) => {
    const { page, strangers, faults } = await look(theme);
    await page.goto(`${base}${hash()}`);
    await page.waitForSelector(ready);
    await page.waitForLoadState("networkidle");
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
    expect(serious.map((v) => `${v.id}: ${v.nodes[0]?.html}`)).toEqual([]);
    const folder = process.env.SCREENSHOTS;
    if (folder) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}_${theme}.png`) });
    }
    expect(strangers).toEqual([]);
    expect(faults()).toEqual([]);
    await page.close();
  });
});

describe("without a mouse", () => {
  it("goes from page to page, opens a command, picks a row, and the address holds the view", async () => {
    const { page, faults } = await look();
    await page.goto(`${base}#timeline?t=${ids[trace]}`);
    await page.waitForSelector(".table-row");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForSelector(".finding");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("table kernels");
    await page.keyboard.press("Enter");
    const grid = page.locator('[role="grid"][aria-label="Kernels"]');
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /focus=/.test(location.hash));
    const address = page.url();
    await page.reload();
    await page.waitForSelector(".details-name");
    expect(page.url()).toBe(address);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.help");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog.help", { state: "detached" });
    expect(faults()).toEqual([]);
    await page.close();
  });
  it("moves the bars between the panes", async () => {
    const { page } = await look();
    await page.goto(`${base}#timeline?t=${ids[trace]}`);
    const bar = page.getByRole("separator", { name: "Height of the tables" });
    const before = Number(await bar.getAttribute("aria-valuenow"));
    await bar.focus();
    await page.keyboard.press("ArrowUp");
    expect(Number(await bar.getAttribute("aria-valuenow"))).toBe(before + 16);
    await page.close();
  });
});

describe("home", () => {
  it("takes a file that the reader chooses, and shows it", async () => {
    const { page, strangers, faults } = await look();
    await page.goto(`${base}#home`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file …" }).click();
    const name = "chosen by hand.json";
    await (await chooser).setFiles({ name, mimeType: "application/json", buffer: Buffer.from(SMALL) });
    await page.waitForFunction(() => location.hash.startsWith("#timeline"));
    await page.waitForSelector(".table-row");
    expect(await page.locator(".trace-button").textContent()).toContain(name);
    expect(await page.locator(".table-row").first().textContent()).toContain("aten::chosen");
    expect([strangers, faults()]).toEqual([[], []]);
    await page.close();
  });
  it("says why a file is no trace", async () => {
    const { page } = await look();
    await page.goto(`${base}#home`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file …" }).click();
    await (await chooser).setFiles({
      name: "notes.json",
      mimeType: "application/json",
      buffer: Buffer.from("no trace at all"),
    });
    const said = page.locator(".not-read");
    await said.waitFor();
    expect(await said.textContent()).toContain("no trace events");
    await said.getByRole("button").click();
    await page.locator(".card", { hasText: "notes.json" }).locator(".pill.bad").waitFor();
    await page.close();
  });
  it("opens two traces beside each other and goes from one to the other", async () => {
    const { page, faults } = await look();
    await page.goto(`${base}#summary?t=${ids[trace]}`);
    await page.waitForSelector(".finding");
    await page.locator(".trace-button").click();
    await page.locator(".trace-line .item").filter({ hasText: "eager" }).first().click();
    await page.waitForSelector(".device-line .pill.accent");
    expect(new URL(page.url()).hash).toMatch(/^#summary/);
    expect(faults()).toEqual([]);
    await page.close();
  });
});

const SMALL = JSON.stringify({
  traceEvents: [{ ph: "X", cat: "cpu_op", name: "aten::chosen", pid: 1, tid: 1, ts: 10, dur: 5, args: {} }],
});

// The picture of the README: one launch from its operator to the hardware.
it.runIf(process.env.SCREENSHOTS)("shows a launch on its way", async () => {
  const { page } = await look();
  await page.goto(`${base}#timeline?t=${ids[trace]}`);
  await page.locator('[role="grid"][aria-label="Operators"] .table-row').first().click();
  await page.waitForSelector(".details-name");
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(process.env.SCREENSHOTS ?? "", "launch_light.png") });
  await page.close();
});
