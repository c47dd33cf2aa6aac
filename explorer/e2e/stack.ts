// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole stack for a test: a real server process over real captures, and a real Chromium that may talk to nobody else.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "playwright-core";

export const LANEWISE = process.env.LANEWISE ?? resolve(import.meta.dirname, "../../.venv/bin/lanewise");
export const SHARED_TRACES = resolve(import.meta.dirname, "../../../shared/traces");

export interface Server {
  url: string;
  port: number;
  pid: number;
  process: ChildProcess;
  stop(): Promise<number | null>;
}

// Starts `lanewise open` on the paths with a state folder of its own; resolves once the link is printed.
export async function startServer(paths: string[], extra: string[] = [], cwd = process.cwd()): Promise<Server> {
  const state = mkdtempSync(join(tmpdir(), "lanewise-e2e-state-"));
  const child = spawn(LANEWISE, ["open", ...paths, "--no-open", "--json", ...extra], {
    cwd,
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const line = await Promise.race([
    new Promise<string>((done) => createInterface({ input: child.stdout }).once("line", done)),
    ended.then((code) => {
      throw new Error(`lanewise open ended with ${code}: ${errors}`);
    }),
  ]);
  const { url, port, pid } = JSON.parse(line);
  return {
    url,
    port,
    pid,
    process: child,
    async stop() {
      child.kill("SIGTERM");
      const code = await ended;
      rmSync(state, { recursive: true, force: true });
      return code;
    },
  };
}

export async function startBrowser(): Promise<Browser> {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("no Chromium; as root: apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: ["--disable-gpu", "--disable-quic", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });
}

export interface Watched {
  page: Page;
  // Addresses outside the machine's own server, and what the page complained about.
  strangers: string[];
  complaints: string[];
}

export async function openPage(browser: Browser, url: string, size = { width: 1440, height: 900 }): Promise<Watched> {
  // A context of its own: axe opens a second page beside it.
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  // The browser may be gone already.
  page.once("close", () => void context.close().catch(() => undefined));
  const strangers: string[] = [];
  const complaints: string[] = [];
  const home = new URL(url).host;
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (to.protocol !== "data:" && to.protocol !== "blob:" && to.host !== home) strangers.push(request.url());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(url);
  return { page, strangers, complaints };
}

let studyFolder: string | null = null;

// The folder in which the RMSNorm study ran, once a test file.
export function studyRoot(): string {
  if (!studyFolder) {
    studyFolder = mkdtempSync(join(tmpdir(), "lanewise-e2e-study-"));
    execFileSync(LANEWISE, ["study", "rmsnorm"], { cwd: studyFolder, stdio: "pipe" });
  }
  return studyFolder;
}

// The captures that the study itself recorded: {eager, fused, compiled}.
export function studyCaptures(): Record<"eager" | "fused" | "compiled", string> {
  const root = join(studyRoot(), "output", "rmsnorm");
  const capture = (variant: string): string => {
    const process = readdirSync(join(root, variant)).filter((name) => name.startsWith("i-"))[0];
    if (!process) throw new Error(`the study left no capture of ${variant}`);
    const newest = readdirSync(join(root, variant, process))
      .sort()
      .at(-1) as string;
    return join(root, variant, process, newest);
  };
  return { eager: capture("eager"), fused: capture("fused"), compiled: capture("compiled") };
}

// To be called after the last test of a file that took them.
export function removeStudy(): void {
  if (studyFolder) rmSync(studyFolder, { recursive: true, force: true });
  studyFolder = null;
}

// A real trace of ../shared/traces under the name by which the server knows it, or null where that folder is absent.
export function sharedTrace(name: string): string | null {
  const path = join(SHARED_TRACES, name);
  return existsSync(path) && statSync(path).size > 0 ? realpathSync(path) : null;
}

// A real pair of ../shared/hardware, or null where that folder is absent.
export function sharedHardware(name: string): { neff: string; ntff: string } | null {
  const at = join(process.env.LANEWISE_SHARED ?? resolve(import.meta.dirname, "../../../shared"), "hardware", name);
  const pair = { neff: `${at}.neff`, ntff: `${at}.ntff` };
  return existsSync(pair.neff) && existsSync(pair.ntff) ? pair : null;
}
