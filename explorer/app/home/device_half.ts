// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a file is one half of a device profile (a compiled program, the capture of its run), so that the halves are sent together. By
// its first bytes, as the server knows them (trace/pair/file_kind.h), or, where they say nothing, by its name. What it is in the end
// the server says.
const HEAD = 129;

export async function isHalf(file: Blob, name: string): Promise<boolean> {
  return looksLikeHalf(new Uint8Array(await file.slice(0, HEAD).arrayBuffer())) || /\.(neff|ntff)$/i.test(name);
}

export function looksLikeHalf(bytes: Uint8Array): boolean {
  if (String.fromCharCode(...bytes.subarray(0, 8)) === "LANENTFF") return true;
  if (bytes.length < 16) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = view.getBigUint64(0, true);
  const second = view.getBigUint64(8, true);
  if (second === 1024n && first >= 1n && first <= 99n) return true;
  const version = first & 0xffn;
  const metadata = first >> 8n;
  const header = second === 0n && version >= 1n && version <= 32n && metadata > 0n && metadata < 1n << 32n;
  return header && bytes.length >= HEAD && bytes[128] === 0x0a;
}
