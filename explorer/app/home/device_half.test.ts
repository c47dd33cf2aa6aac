// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { isHalf, looksLikeHalf } from "@/app/home/device_half";

function bytes(size: number, words: bigint[], at: Record<number, number> = {}): Uint8Array {
  const made = new Uint8Array(size);
  const view = new DataView(made.buffer);
  for (const [i, word] of words.entries()) view.setBigUint64(8 * i, word, true);
  for (const [i, value] of Object.entries(at)) made[Number(i)] = value;
  return made;
}

const blob = (data: Uint8Array) => new Blob([data as Uint8Array<ArrayBuffer>]);

test("halves are known by their bytes, whatever they are called", async () => {
  const program = bytes(1024, [2n, 1024n, 500n]);
  const capture = bytes(200, [5n + (60n << 8n), 0n], { 128: 0x0a });
  expect(await isHalf(blob(program), "program.bin")).toBe(true);
  expect(await isHalf(blob(capture), "run")).toBe(true);
  expect(await isHalf(new Blob(["LANENTFF\u0001"]), "x")).toBe(true);
});

test("what is something else is not", async () => {
  expect(await isHalf(new Blob(['{"traceEvents":[]}']), "trace.json")).toBe(false);
  expect(looksLikeHalf(new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7]))).toBe(false);
  expect(looksLikeHalf(bytes(200, [5n + (60n << 8n), 0n]))).toBe(false);
  expect(looksLikeHalf(bytes(200, [0n, 0n], { 128: 0x0a }))).toBe(false);
  expect(looksLikeHalf(new Uint8Array(0))).toBe(false);
});

test("a damaged one is what its name says", async () => {
  expect(await isHalf(new Blob([]), "empty.NTFF")).toBe(true);
});
