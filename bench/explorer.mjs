// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How smooth the Explorer's timeline is, beside other viewers of the same trace, by the same script, in the same run.
//
//   node bench/explorer.mjs [--command build/tools/lanewise] [--page DIST] [--trace FILE ... | --like FILE --events N ...]
//                           [--zooms 500] [--seconds 3] [--size 1920x1080] [--ratio 1] [--peers]
//
// Each trace is opened by `lanewise open --no-open --json` on a port of its own and shown in Chromium without a GPU. A script
// holds keys (pan, zoom), with and without arrows, and counts:
//   frame    ms between frames that the browser gives (median, p95)
//   main     ms that the page's main thread runs for each frame, all of it: script, style, layout, paint (Linux counts it)
//   CPU      ms of all of the browser's processes for each frame
// Then it zooms N times and tells the page's heap on the way (script and buffers, after a collection) and the browser's memory (PSS).
// `--like FILE --events N` makes a trace of about N events from a real one first. `--peers` runs the same keys on the
// pages of Perfetto and Catapult (explorer_peers.mjs); one that fails is printed as failed. Nothing is asserted.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { peers } from "./explorer_peers.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { chromium } = createRequire(join(ROOT, "explorer/package.json"))("playwright-core");
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const FLAGS = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"];
if (process.getuid?.() === 0) FLAGS.push("--no-sandbox");
const TICK_MS = 1000 / Number(execFileSync("getconf", ["CLK_TCK"]).toString());

const { values: options } = parseArgs({
  options: {
    command: { type: "string", default: join(ROOT, "build/tools/lanewise") },
    page: { type: "string" },
    trace: { type: "string", multiple: true, default: [] },
    like: { type: "string", default: resolve(ROOT, "../shared/traces/cuda_h100_owlv2.json.gz") },
    events: { type: "string", multiple: true, default: [] },
    zooms: { type: "string", default: "500" },
    seconds: { type: "string", default: "3" },
    size: { type: "string", default: "1920x1080" },
    ratio: { type: "string", default: "1" },
    peers: { type: "boolean", default: false },
  },
});
const [width, height] = options.size.split("x").map(Number);
const seconds = Number(options.seconds);

// All processes of a browser, by their parents.
function family(root) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1").replace(/^.*\) /, "").split(" ");
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended while we looked.
    }
  }
  const all = [root];
  for (let i = 0; i < all.length; i++) all.push(...(children.get(all[i]) ?? []));
  return all;
}

function cpuMs(root) {
  let ticks = 0;
  for (const pid of family(root)) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /, "").split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended.
    }
  }
  return ticks * TICK_MS;
}

function pssMb(root) {
  let kb = 0;
  for (const pid of family(root)) {
    try {
      kb += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0);
    } catch {
      // It ended, or is not ours to read.
    }
  }
  return kb / 1024;
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

async function launch() {
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: FLAGS });
  const browser = await chromium.connect(server.wsEndpoint());
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: Number(options.ratio),
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  return { server, browser, page, devtools, pid: server.process().pid };
}

// What the main threads of the pages ran: their thread has the number of its process.
function mainMs(root) {
  let ns = 0;
  for (const pid of family(root)) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--type=renderer")) continue;
      ns += Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[0]);
    } catch {
      // It ended.
    }
  }
  return ns / 1e6;
}

async function heapMb(devtools) {
  await devtools.send("HeapProfiler.collectGarbage");
  const use = await devtools.send("Runtime.getHeapUsage");
  return (use.usedSize + (use.backingStorageSize ?? 0) + (use.embedderHeapUsedSize ?? 0)) / 2 ** 20;
}

// Frames and work while `act` goes on.
async function measured({ page, pid }, act) {
  await page.evaluate(() => {
    const frames = [];
    window.benchFrames = frames;
    window.benchOn = true;
    const step = (now) => {
      frames.push(now);
      if (window.benchOn) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  const [main, cpu] = [mainMs(pid), cpuMs(pid)];
  await act();
  const [mainAfter, cpuAfter] = [mainMs(pid), cpuMs(pid)];
  const frames = await page.evaluate(() => {
    window.benchOn = false;
    return window.benchFrames;
  });
  const gaps = frames
    .slice(1)
    .map((at, i) => at - frames[i])
    .sort((a, b) => a - b);
  return {
    median: quantile(gaps, 0.5),
    p95: quantile(gaps, 0.95),
    main: (mainAfter - main) / gaps.length,
    cpu: (cpuAfter - cpu) / gaps.length,
  };
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function hold(page, keys) {
  const each = (seconds * 1000) / keys.length;
  for (const key of keys) {
    await page.keyboard.down(key);
    await wait(each);
    await page.keyboard.up(key);
  }
}

// The same keys on every viewer: A/D pan and W/S zoom are Perfetto's and ours.
async function script(name, made, ready) {
  const rows = [];
  const add = async (what, act) => rows.push({ viewer: name, what, ...(await measured(made, act)) });
  await ready();
  await add("pan, whole trace", () => hold(made.page, ["d", "a", "d", "a"]));
  await add("zoom in and out", () => hold(made.page, ["w", "s", "w", "s"]));
  await hold(made.page, ["w"]);
  await add("pan, zoomed in", () => hold(made.page, ["d", "a", "d", "a"]));
  return rows;
}

async function openServer(trace, page) {
  // What a user kept stays as it is: the measured server keeps its state elsewhere.
  const environment = { ...process.env, XDG_STATE_HOME: join(scratch, "state") };
  if (page) environment.LANEWISE_EXPLORER = page;
  const process_ = spawn(options.command, ["open", trace, "--no-open", "--json"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise((done, fail) => {
    let text = "";
    process_.stdout.on("data", (piece) => {
      text += piece;
      if (text.includes("\n")) done(text);
    });
    process_.on("exit", (code) => fail(new Error(`the server ended with ${code}`)));
  });
  return { process: process_, url: JSON.parse(line).url };
}

async function ours(trace) {
  const started = performance.now();
  const server = await openServer(trace, options.page);
  const made = await launch();
  const { page, devtools, pid } = made;
  const result = { rows: [] };
  try {
    await page.goto(server.url);
    // Imported?
    let id = "";
    for (;;) {
      const home = await (await page.evaluate(() => fetch("api/home").then((r) => r.text()))).toString();
      const [first] = JSON.parse(home).traces;
      if (first?.state === "failed") throw new Error(first.error);
      if (first?.state === "ready") {
        id = first.id;
        break;
      }
      await wait(100);
    }
    result.importS = (performance.now() - started) / 1000;
    // The timeline has the page to itself, as in the other viewers.
    await page.evaluate(() => fetch("api/state/layout", { method: "PUT", body: JSON.stringify({ version: 1, bottom: 300, right: 340, showBottom: false, showRight: false, tables: {} }) }));
    const opened = performance.now();
    await page.goto(`${server.url.split("?")[0]}#timeline?t=${id}`);
    await page.reload();
    await page.waitForSelector(".tl-stage canvas");
    await painted(page);
    result.pictureS = (performance.now() - opened) / 1000;
    await page.click(".tl-stage", { position: { x: 600, y: 5 } });
    const info = await page.evaluate((t) => fetch(`api/trace/${t}/lanes`).then((r) => r.json()), id);
    result.lanes = info.lanes.length;
    result.slices = info.lanes.reduce((sum, lane) => sum + lane.events, 0);
    result.rows = await script("Lanewise", made, () => wait(500));
    await page.keyboard.press("0");
    await page.keyboard.press("l");
    await wait(800);
    result.rows.push({ viewer: "Lanewise", what: "pan, with arrows", ...(await measured(made, () => hold(page, ["d", "a", "d", "a"]))) });
    result.arrows = await page.evaluate(() => [...document.querySelectorAll(".tl-tool")].map((b) => b.textContent).find((t) => /arrows/.test(t ?? "")));
    await page.keyboard.press("l");
    await page.keyboard.press("0");
    await wait(300);
    result.heap = [await heapMb(devtools)];
    result.pssBefore = pssMb(pid);
    for (let quarter = 0; quarter < 4; quarter++) {
      await zooms(page, Math.round(Number(options.zooms) / 4));
      result.heap.push(await heapMb(devtools));
    }
    result.pss = pssMb(pid);
    result.tiles = await tileTimes(page, id, info.lanes);
  } finally {
    await made.browser.close();
    await made.server.close();
    server.process.kill("SIGTERM");
  }
  return result;
}

// Until the picture holds something other than its ground: more than a few colours.
async function painted(page) {
  await page.waitForFunction(() => {
    const canvas = document.querySelector(".tl-stage canvas");
    if (!canvas?.width) return false;
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels.filter((_, i) => i % 7 === 0)).size > 12;
  });
}

async function zooms(page, count) {
  const stage = await page.$(".tl-stage");
  const box = await stage.boundingBox();
  await page.keyboard.down("Control");
  for (let i = 0; i < count; i++) {
    // In and out at another place each time, so that other tiles are needed.
    if (i % 20 === 0) await page.mouse.move(box.x + ((i * 37) % box.width), box.y + box.height / 2);
    await page.mouse.wheel(0, i % 20 < 10 ? -240 : 240);
    await wait(16);
  }
  await page.keyboard.up("Control");
  await wait(1000);
}

// The server's side: all lanes over the whole span, and one screen of them.
async function tileTimes(page, id, lanes) {
  return page.evaluate(
    async ({ id, lanes, width }) => {
      const info = await (await fetch(`api/trace/${id}`)).json();
      const level = Math.max(0, Math.floor(Math.log2((info.end - info.begin) / width)));
      const size = 512 * 2 ** level;
      const first = Math.floor(info.begin / size);
      const count = Math.ceil(info.end / size) - first;
      const ask = async (chosen) => {
        const times = [];
        for (let i = 0; i < 9; i++) {
          const started = performance.now();
          const answer = await fetch(`api/trace/${id}/tiles`, {
            method: "POST",
            body: JSON.stringify({ level, first, count, lanes: chosen.map((lane) => lane.id) }),
          });
          await answer.arrayBuffer();
          times.push(performance.now() - started);
        }
        return times.sort((a, b) => a - b)[4];
      };
      return { all: await ask(lanes), some: await ask(lanes.slice(0, 20)) };
    },
    { id, lanes, width },
  );
}

function print(trace, mine, peers) {
  const n = (value, digits = 1) => value.toFixed(digits).padStart(7);
  console.log(`\n${trace}: ${mine.slices?.toLocaleString("en-US")} events in ${mine.lanes} lanes`);
  console.log(`  import ${n(mine.importS, 2)} s, then first picture ${n(mine.pictureS, 2)} s`);
  console.log(`  tiles of the whole span, with the way to the page: all lanes ${n(mine.tiles.all)} ms, 20 lanes ${n(mine.tiles.some)} ms`);
  console.log(`  page heap in MB, after each quarter of ${options.zooms} zooms: ${mine.heap.map((mb) => mb.toFixed(1)).join(", ")}`);
  console.log(`  browser ${n(mine.pssBefore, 0)} MB PSS, after the zooms ${n(mine.pss, 0)}; ${mine.arrows ?? ""}`);
  console.log(`  ${"".padEnd(34)} frame ms: median    p95    main    CPU`);
  for (const row of [...mine.rows, ...peers.flatMap((peer) => peer.rows ?? [])]) {
    console.log(`  ${row.viewer.padEnd(14)}${row.what.padEnd(22)}          ${n(row.median)}${n(row.p95)}${n(row.main)}${n(row.cpu)}`);
  }
  for (const peer of peers) {
    if (peer.failed) {
      console.log(`  ${peer.name}: FAILED, ${peer.failed}`);
      continue;
    }
    for (const row of peer.rows) {
      const own = mine.rows.find((r) => r.what === row.what);
      if (!own) continue;
      const ratio = (key) => `${(row[key] / own[key]).toFixed(1)} ×`;
      console.log(`  ${peer.name} / Lanewise, ${row.what}: median ${ratio("median")}, p95 ${ratio("p95")}, main ${ratio("main")}, CPU ${ratio("cpu")}`);
    }
    console.log(`  ${peer.name}: open to picture ${n(peer.pictureS, 2)} s (with import), browser ${n(peer.pss, 0)} MB PSS`);
  }
}

// What a peer does with the trace: its rows, or why there are none.
async function measuredPeer(peer, trace) {
  const served = await peer.serve(trace);
  const made = await launch();
  try {
    const started = performance.now();
    await peer.open(made.page, served.origin);
    const pictureS = (performance.now() - started) / 1000;
    const rows = await script(peer.name, made, () => peer.ready(made.page, { width, height }));
    return { name: peer.name, rows, pictureS, pss: pssMb(made.pid) };
  } catch (failure) {
    return { name: peer.name, failed: String(failure).split("\n")[0] };
  } finally {
    await made.browser.close().catch(() => {});
    await made.server.close();
    served.close();
  }
}

const scratch = mkdtempSync(join(tmpdir(), "lanewise-bench-"));
try {
  const traces = options.trace.map((file) => ({ file, name: file }));
  for (const events of options.events) {
    const file = join(scratch, `made_${events}.json`);
    execFileSync(options.command, ["bench", "generate", "--like", options.like, "--events", events, file], { stdio: "inherit" });
    traces.push({ file, name: `${events} events like ${options.like} (${Math.round(statSync(file).size / 1e6)} MB)` });
  }
  for (const { file, name } of traces) {
    const mine = await ours(resolve(file));
    const others = [];
    if (options.peers) for (const peer of peers(ROOT)) others.push(await measuredPeer(peer, resolve(file)));
    print(name, mine, others);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
