// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The page where things are not as usual: a damaged file, a large one, two servers in one browser, a path prefix.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANEWISE, openPage, type Server, sharedTrace, startBrowser, startServer } from "./stack";

let browser: Browser;
const servers: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), "lanewise-e2e-"));

async function serve(paths: string[]): Promise<Server> {
  const server = await startServer(paths);
  servers.push(server);
  return server;
}

// A small trace of its own: `names` as operators one after another, 10 us each.
function trace(file: string, names: string[], end = "]}"): string {
  const events = names.map((name, i) =>
    JSON.stringify({ ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts: 1000 + 20 * i, dur: 10 }),
  );
  const path = join(folder, file);
  writeFileSync(path, `{"schemaVersion": 1, "traceEvents": [\n${events.join(",\n")}${end}`);
  return path;
}

async function operators(page: Page): Promise<string> {
  await page.waitForSelector(".table-row");
  return (await page.locator('[role="grid"][aria-label="Operators"]').textContent()) ?? "";
}

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a damaged file", () => {
  it("shows what could be read and says what could not", async () => {
    const cut = trace("cut.json", ["aten::first", "aten::second"], ',\n{"ph": "X", "name": "aten::lo');
    const server = await serve([cut]);
    const { page } = await openPage(browser, server.url);
    expect(await operators(page)).toContain("aten::second");
    await page.locator(".pill", { hasText: "1 dropped" }).first().waitFor();
    await page.close();
    // A whole one says nothing of the kind.
    const intact = await serve([trace("whole.json", ["aten::first", "aten::second"])]);
    const other = await openPage(browser, intact.url);
    expect(await operators(other.page)).toContain("aten::second");
    expect(await other.page.locator(".pill", { hasText: "dropped" }).count()).toBe(0);
    await other.page.close();
  });
});

describe("two servers", () => {
  it("do not sign each other's visitors out", async () => {
    const a = await serve([trace("a.json", ["aten::of_a"])]);
    const b = await serve([trace("b.json", ["aten::of_b"])]);
    expect(a.port).not.toBe(b.port);
    // One window, so one jar of cookies for both.
    const context = await browser.newContext();
    const [one, two] = [await context.newPage(), await context.newPage()];
    await one.goto(a.url);
    await two.goto(b.url);
    expect(await operators(one)).toContain("aten::of_a");
    expect(await operators(two)).toContain("aten::of_b");
    await one.reload();
    expect(await operators(one)).toContain("aten::of_a");
    await context.close();
  });
});

describe("a path prefix", () => {
  it("needs no option: all addresses are relative", async () => {
    const server = await serve([trace("prefix.json", ["aten::behind_a_proxy"])]);
    const prefix = "/tools/lanewise";
    const beyond: string[] = [];
    const proxy = createServer((asked, answer) => {
      const path = asked.url ?? "/";
      if (!path.startsWith(`${prefix}/`)) {
        beyond.push(path);
        answer.writeHead(404).end();
        return;
      }
      const onward = request(
        { port: server.port, method: asked.method, path: path.slice(prefix.length), headers: asked.headers },
        (reply) => {
          const { location, ...headers } = reply.headers;
          answer.writeHead(reply.statusCode ?? 500, location ? { ...headers, location } : headers);
          reply.pipe(answer);
        },
      );
      onward.on("error", () => answer.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const { port } = proxy.address() as AddressInfo;
    const { page, strangers } = await openPage(
      browser,
      `http://127.0.0.1:${port}${prefix}/${new URL(server.url).search}`,
    );
    expect(await operators(page)).toContain("aten::behind_a_proxy");
    await expect.poll(() => page.url()).toContain(`${prefix}/#timeline`);
    expect(page.url()).not.toContain("token");
    expect(beyond.filter((path) => path !== "/favicon.ico")).toEqual([]);
    expect(strangers).toEqual([]);
    await page.close();
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe("a file of 100 MB", () => {
  const like = sharedTrace("cuda_h100_bert_small.json.gz");
  it.skipIf(!like)("can be looked at, and goes to any place by keys", async () => {
    const large = join(folder, "large.json");
    const plain = join(folder, "like.json");
    writeFileSync(plain, execFileSync("gzip", ["-dc", like ?? ""], { maxBuffer: 1 << 30 }));
    execFileSync(LANEWISE, ["bench", "generate", "--like", plain, "--events", "350000", large], { stdio: "pipe" });
    const server = await serve([large]);
    const { page, strangers, complaints } = await openPage(browser, server.url);
    await page.waitForFunction(() => /^#timeline/.test(location.hash));
    await page.waitForSelector(".table-row", { timeout: 100_000 });
    await page.waitForFunction(() => !document.querySelector(".pill.importing"));
    await page.waitForFunction(() => /span=/.test(location.hash));
    const width = () => {
      const [from = Number.NaN, to = Number.NaN] =
        /span=(-?\d+)\.\.(-?\d+)/.exec(page.url())?.slice(1).map(Number) ?? [];
      return to - from;
    };
    const whole = width();
    await page.getByRole("application").focus();
    for (let i = 0; i < 20; i++) await page.keyboard.press("w", { delay: 30 });
    await expect.poll(width, { timeout: 20_000 }).toBeLessThan(whole / 2);
    expect(strangers).toEqual([]);
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    await page.close();
  });
});
