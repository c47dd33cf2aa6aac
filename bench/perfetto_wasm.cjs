// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// node bench/perfetto_wasm.cjs FOLDER FILE.json
//
// Loads a trace into Perfetto's engine as the browser runs it and asks for its first table. FOLDER holds engine_bundle.js
// and the .wasm files of a build of the Perfetto UI. The bundle is a web worker that waits for a message port; what a port
// carries are frames of its remote calls (protocol buffers, written here by hand).
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, file] = process.argv.slice(2);
const kBlock = 16 << 20;
const kAppend = 1, kFinalize = 2, kQuery = 3;
const kQueryText = "select name, category, count(*) n, sum(dur) d from slice group by name, category order by d desc limit 5";

function varint(n) {
  const out = [];
  for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 128);
  out.push(n);
  return Buffer.from(out);
}
const number = (field, n) => Buffer.concat([varint(field * 8), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint(field * 8 + 2), varint(b.length), b]);

// Calls of one stream: {sequence, request, arguments}.
let sequence = 0;
const call = (method, more = Buffer.alloc(0)) => bytes(1, Buffer.concat([number(1, sequence++), number(2, method), more]));

// What a worker finds around it.
globalThis.self = globalThis;
globalThis.location = { href: "file:///" };
globalThis.WorkerGlobalScope = class {};
globalThis.importScripts = () => {};
// The engine is fetched in one synchronous request.
globalThis.XMLHttpRequest = class {
  open(method, name) { this.name = path.basename(String(name)); }
  send() {
    const read = fs.readFileSync(path.join(folder, this.name));
    this.response = read.buffer.slice(read.byteOffset, read.byteOffset + read.length);
  }
};
globalThis.fetch = async (name) => new Response(fs.readFileSync(path.join(folder, path.basename(String(name)))), { headers: { "content-type": "application/wasm" } });

const hooks = {};
const port = {
  set onmessage(handler) { hooks.toEngine = handler; },
  postMessage(data) { hooks.fromEngine(data); },
};

function replies() {
  // Replies come one frame a message; the bytes are kept until somebody asks for them.
  return new Promise((resolve) => { hooks.fromEngine = (data) => resolve(Buffer.from(data)); });
}
const send = (frame) => {
  const answer = replies();
  hooks.toEngine({ data: new Uint8Array(frame) });
  return answer;
};

// The node that runs this looks like node to the bundle; it is to believe that it is a worker.
const process_ = process;
vm.runInThisContext(`(function (process, require, module) { ${fs.readFileSync(path.join(folder, "engine_bundle.js"))}\n})`)(undefined, undefined, undefined);

async function main() {
  globalThis.onmessage({ data: port });
  // The engine calls its own start-up in a later turn of the event loop and tells nobody.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const fd = fs.openSync(file, "r");
  const block = Buffer.alloc(kBlock);
  for (let got; (got = fs.readSync(fd, block, 0, kBlock)) > 0;) await send(call(kAppend, bytes(101, block.subarray(0, got))));
  await send(call(kFinalize));
  const answer = await send(call(kQuery, bytes(103, bytes(1, Buffer.from(kQueryText)))));
  if (answer.length < 40) throw new Error("no table came back");
  process_.exit(0);
}
main().catch((error) => {
  console.error(String(error).slice(0, 300));
  process_.exit(1);
});
