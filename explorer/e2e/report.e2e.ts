// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `lanewise report`: one page that opens from disk, asks nobody for anything, and says the same as the trace.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANEWISE, openPage, removeStudy, startBrowser, studyCaptures } from "./stack";

let browser: Browser;
let folder = "";
let capture = "";

beforeAll(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), "lanewise-report-"));
  capture = studyCaptures().eager;
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
  removeStudy();
});

function report(name: string, ...more: string[]): string {
  const out = join(folder, name);
  execFileSync(LANEWISE, ["report", capture, "--html", out, ...more], { stdio: "pipe" });
  return out;
}

describe("a report", () => {
  it("opens from disk, shows summary, tables and timeline, and asks nobody", async () => {
    const { page, strangers, complaints } = await openPage(browser, pathToFileURL(report("eager.html")).href);
    await page.waitForSelector(".stacked-part");
    expect(await page.locator(".legend th").allTextContents()).toContain("execution overhead");
    expect(await page.locator(".pill", { hasText: "simulated" }).count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: /^Show/ }).first().click();
    await page.waitForSelector(".details-name");
    const painted = await page
      .locator(".tl-canvas")
      .first()
      .evaluate((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement;
        const data = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
        return new Set(new Uint32Array((data as Uint8ClampedArray).buffer)).size;
      });
    expect(painted).toBeGreaterThan(10);
    await page.getByRole("tab", { name: "Operators" }).click();
    expect(await page.locator(".table-row").first().textContent()).toContain("aten::mul");
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id)).toEqual([]);
    expect(strangers.filter((address) => !address.startsWith("file:"))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
  it("holds no path, function or host after --redact, and still its operators", () => {
    const text = readFileSync(report("redacted.html", "--redact"), "utf8");
    const data = text.slice(text.indexOf('id="lanewise-report"'));
    const frames = [...data.matchAll(/"frame":"([^"]+)"/g)].map((match) =>
      Buffer.from(match[1] ?? "", "base64").toString("latin1"),
    );
    const all = data + frames.join("");
    const variant = basename(join(capture, "../.."));
    for (const secret of [
      folder,
      "rmsnorm.py",
      "profile_variant",
      "runpy",
      basename(capture),
      `/${variant}/`,
      "lanewise/examples",
    ]) {
      expect(all.includes(secret), secret).toBe(false);
    }
    expect(all).toContain("aten::mul");
    expect(all).toContain("nrta_execute_schedule");
  });
});
