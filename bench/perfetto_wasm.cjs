// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// node bench/perfetto_wasm.cjs FOLDER FILE [SQL ...]
//
// Loads a trace into Perfetto's engine as the browser runs it and asks it: for its first table when no SQL is given; else each
// query, whose answer is a line of JSON, {"columns": [...], "rows": [[...], ...]}. FOLDER holds engine_bundle.js and the .wasm
// files of a build of the Perfetto UI. The bundle is a web worker that waits for a message port; what a port carries are frames
// of its remote calls (protocol buffers, read and written here by hand).
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, file, ...queries] = process.argv.slice(2);
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

// Replies come one frame a message, a long answer in several; a call is over when `done` says so.
function send(frame, done = () => true) {
  return new Promise((resolve, reject) => {
    const parts = [];
    hooks.fromEngine = (data) => {
      try {
        parts.push(fields(fields(Buffer.from(data)).get(1)[0]));
        if (done(parts.at(-1))) resolve(parts);
      } catch (error) {
        reject(error);
      }
    };
    hooks.toEngine({ data: new Uint8Array(frame) });
  });
}

// Numbers of a message, one after the other.
class Reader {
  constructor(message) { this.message = message, this.at = 0; }
  more() { return this.at < this.message.length; }
  take(size) {
    if (this.at + size > this.message.length) throw new Error("a message that ends too early");
    return this.message.subarray(this.at, this.at += size);
  }
  varint() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.take(1)[0];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  }
}

// Field number -> its values in order: BigInt for a number, Buffer for bytes.
function fields(message) {
  const reader = new Reader(message), found = new Map();
  while (reader.more()) {
    const tag = Number(reader.varint()), kind = tag & 7;
    const value = kind === 0 ? reader.varint() : reader.take(kind === 2 ? Number(reader.varint()) : kind === 1 ? 8 : 4);
    if (!found.has(tag >> 3)) found.set(tag >> 3, []);
    found.get(tag >> 3).push(value);
  }
  return found;
}
function* numbers(chunks) {
  for (const chunk of chunks ?? []) for (const reader = new Reader(chunk); reader.more();) yield reader.varint();
}
const text = (values) => values?.[0]?.toString() ?? "";

// One row of a reply stands in cells of a batch: a list of their kinds, and one list a kind.
const kNull = 1n, kInteger = 2n, kReal = 3n, kText = 4n;
async function ask(sql) {
  const parts = await send(call(kQuery, bytes(103, bytes(1, Buffer.from(sql)))), (reply) => {
    const result = fields(reply.get(203)[0]);
    if (text(result.get(2))) throw new Error(text(result.get(2)));
    return (result.get(3) ?? []).some((batch) => fields(batch).get(6)?.[0] === 1n);
  });
  const columns = [], cells = [];
  for (const part of parts) {
    const result = fields(part.get(203)[0]);
    columns.push(...(result.get(1) ?? []).map(String));
    for (const bytesOfBatch of result.get(3) ?? []) {
      const batch = fields(bytesOfBatch);
      const integers = numbers(batch.get(2)), texts = text(batch.get(5)).split("\0").values();
      let reals = Buffer.concat(batch.get(3) ?? []);
      for (const kind of numbers(batch.get(1))) {
        if (kind === kInteger) cells.push(Number(integers.next().value));
        else if (kind === kText) cells.push(texts.next().value);
        else if (kind === kReal) cells.push(reals.readDoubleLE()), reals = reals.subarray(8);
        else if (kind === kNull) cells.push(null);
        else throw new Error(`a cell of kind ${kind}`);
      }
    }
  }
  const rows = [];
  for (let at = 0; at < cells.length; at += columns.length) rows.push(cells.slice(at, at + columns.length));
  return { columns, rows };
}

// The node that runs this looks like node to the bundle; it is to believe that it is a worker.
const process_ = process;
vm.runInThisContext(`(function (process, require, module) { ${fs.readFileSync(path.join(folder, "engine_bundle.js"))}\n})`)(undefined, undefined, undefined);

async function main() {
  globalThis.onmessage({ data: port });
  // The engine calls its own start-up in a later turn of the event loop and tells nobody.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const fd = fs.openSync(file, "r");
  const block = Buffer.alloc(kBlock);
  for (let got; (got = fs.readSync(fd, block, 0, kBlock)) > 0;) {
    const [reply] = await send(call(kAppend, bytes(101, block.subarray(0, got))));
    const failed = reply.has(201) && text(fields(reply.get(201)[0]).get(2));
    if (failed) throw new Error(failed);
  }
  await send(call(kFinalize));
  if (queries.length === 0) {
    if ((await ask(kQueryText)).rows.length === 0) throw new Error("the engine knows no slice of this file");
  }
  for (const sql of queries) process_.stdout.write(JSON.stringify(await ask(sql)) + "\n");
}
main().then(() => process_.exit(0), (error) => {
  console.error(String(error).slice(0, 300));
  process_.exit(1);
});
