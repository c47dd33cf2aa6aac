// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From an instruction of the study's compiled graph to its line of Python, and from each line to its instructions.
import { resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPage, removeStudy, type Server, startBrowser, startServer, studyCaptures } from "./stack";

const REPOSITORY = resolve(import.meta.dirname, "../..");
let browser: Browser;
let server: Server;

beforeAll(async () => {
  server = await startServer([studyCaptures().compiled], ["--source-root", REPOSITORY]);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  removeStudy();
});

it("leads from an instruction of a compiled graph to its line, and from a line to its instructions", async () => {
  const { page } = await openPage(browser, server.url);
  await page.waitForFunction(() => location.hash !== "");
  // By the kernel's row to its device profile.
  await page.locator(".tables-list, .bottom-tabs").getByRole("tab", { name: "Kernels" }).click();
  await page.locator('[role="grid"] .table-row').first().click();
  await page.getByRole("button", { name: "Open the device profile" }).click();
  await page.waitForSelector('.tl-head.tl-lane:has-text("TensorMatrix")');

  await page.locator(".tables-list, .bottom-tabs").getByRole("tab", { name: "Instructions" }).click();
  await page.getByLabel("Which table of Instructions").selectOption("lines");
  const line = page.locator('[role="grid"] .table-row:has-text("rmsnorm.py")').first();
  await line.click();
  // The run in front shows its own line, marked with what it cost.
  const origin = page.locator('[aria-label="Where it comes from"]');
  await origin.waitFor();
  await page.waitForSelector(".source-line.now .source-go");
  expect(await page.locator(".source-go").count()).toBeGreaterThanOrEqual(2);
  const now = await page.locator(".source-line.now").textContent();
  expect(now).toMatch(/mean_square|rsqrt/);
  // The other line of the function: other instructions come to the front.
  const other = page.locator(".source-line:not(.now) .source-go").first();
  const number = await other.evaluate(
    (button) => button.closest(".source-line")?.querySelector(".source-number")?.textContent,
  );
  await other.click();
  await page.waitForFunction(
    (wanted) => document.querySelector(".source-line.now .source-number")?.textContent === wanted,
    number,
  );
  await page.close();
});
