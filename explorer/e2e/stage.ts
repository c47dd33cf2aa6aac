// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every test in a browser needs: a server on traces of its own, a browser, and a page that notes each request which leaves
// the machine and each complaint of the page.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));

export interface Served {
  // The first link, with its token.
  url: string;
  base: string;
  stop(): Promise<void>;
}

// Starts `lanewise open` on a port of its own choosing, with a state folder of its own.
export async function serve(paths: readonly string[], more: readonly string[] = []): Promise<Served> {
  const binary = process.env.LANEWISE ?? "";
  if (!existsSync(binary)) throw new Error("LANEWISE must name the lanewise binary");
  if (!existsSync(join(DIST, "index.html"))) throw new Error("there is no build in dist/: npm run build");
  const state = mkdtempSync(join(tmpdir(), "lanewise-e2e-"));
  const child = spawn(binary, ["open", "--no-open", "--json", ...more, ...paths], {
    env: { ...process.env, XDG_STATE_HOME: state, LANEWISE_EXPLORER: DIST },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = JSON.parse(await firstLine(child)) as { url: string };
  return {
    url: line.url,
    base: line.url.replace(/\?.*$/, ""),
    stop: () =>
      new Promise((done) => {
        child.once("exit", () => {
          rmSync(state, { recursive: true, force: true });
          done();
        });
        child.kill("SIGTERM");
      }),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf("\n");
      if (end >= 0) done(text.slice(0, end));
    });
    child.once("exit", (code) => failed(new Error(`lanewise open ended with ${code}`)));
  });
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--disable-gpu", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });
}

export interface Looked {
  page: Page;
  // Addresses outside of the server, complaints of the page: both must stay empty.
  foreign: string[];
  complaints: string[];
  close(): Promise<void>;
}

export async function look(browser: Browser, served: Served, theme: "light" | "dark" = "light"): Promise<Looked> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: theme });
  const page = await context.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(served.base) && !/^(data|blob|about):/.test(url)) foreign.push(url);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // What the server refuses is said on the page; the browser's own line about it is no fault.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  await page.goto(served.url);
  return { page, foreign, complaints, close: () => context.close() };
}

// The captures of a study below `folder`, in the order of its story.
export function studyOf(folder: string): string[] {
  return ["eager", "fused", "compiled"].map((variant) => {
    const host = join(folder, variant, only(join(folder, variant)));
    return join(host, only(host));
  });
}

function only(folder: string): string {
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error(`${folder} is empty`);
  return name;
}
