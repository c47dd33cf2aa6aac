// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the reader drops or chooses go to the server as they are, a stream each; a folder's files are one trace.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { isHalf } from "@/app/home/device_half";
import { bringToFront } from "@/base/front";
import { bytes, percent } from "@/base/units";
import type { Trace } from "@/engine/api";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";
import { isAbort } from "@/engine/transport";
import { CloseIcon } from "@/widgets/icons";

interface Upload {
  key: number;
  name: string;
  sent: number;
  total: number;
  error: string | null;
  stop: AbortController;
}

export interface Piece {
  file: File;
  // With folders: "run/rank0.json".
  name: string;
}

const going = signal<Upload[]>([]);
let keys = 0;

export const uploads = {
  choose(folder: boolean): void {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    if (folder) input.webkitdirectory = true;
    input.addEventListener("change", () => {
      const pieces = [...(input.files ?? [])].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
      const limit = opened.home.value?.upload_limit ?? 0;
      void (folder ? send(pieces, true, limit) : sendFiles(pieces, limit));
    });
    input.click();
  },
};

// The halves of device profiles go together, as a folder: which belongs to which the server knows.
export async function sendFiles(pieces: Piece[], limit: number): Promise<void> {
  const halves = new Set<Piece>();
  for (const piece of pieces) {
    if (await isHalf(piece.file, piece.name)) halves.add(piece);
  }
  await send([...halves], true, limit);
  await send(
    pieces.filter((piece) => !halves.has(piece)),
    false,
    limit,
  );
}

// One trace for each file, or one for all when they come as a folder.
export async function send(pieces: Piece[], folder: boolean, limit: number): Promise<void> {
  if (pieces.length === 0) return;
  const all = pieces.reduce((sum, piece) => sum + piece.file.size, 0);
  const name =
    folder && pieces[0]?.name.includes("/")
      ? (pieces[0].name.split("/")[0] ?? "folder")
      : pieces.map((p) => p.name).join(", ");
  const upload: Upload = { key: keys++, name, sent: 0, total: all, error: null, stop: new AbortController() };
  going.value = [...going.value, upload];
  const change = (by: Partial<Upload>) => {
    going.value = going.value.map((u) => (u.key === upload.key ? { ...u, ...by } : u));
  };
  if (limit > 0 && all > limit) {
    change({ error: `${bytes(all)} is more than the ${bytes(limit)} that this server takes (--upload-limit)` });
    return;
  }
  try {
    const key = folder
      ? Array.from(crypto.getRandomValues(new Uint8Array(8)), (n) => n.toString(16).padStart(2, "0")).join("")
      : null;
    let before = 0;
    let last: Trace | null = null;
    for (const { file, name: pieceName } of pieces) {
      last = await server.upload(file, pieceName, {
        ...(key === null ? {} : { folder: key }),
        signal: upload.stop.signal,
        progress: (sent) => change({ sent: before + sent }),
      });
      before += file.size;
      if (key === null) opened.add(last);
    }
    if (key !== null) last = await server.uploadDone(key);
    going.value = going.value.filter((u) => u.key !== upload.key);
    if (!last) return;
    opened.add(last);
    await opened.refresh();
    bringToFront(last.id);
  } catch (failure) {
    if (isAbort(failure)) going.value = going.value.filter((u) => u.key !== upload.key);
    else change({ error: failure instanceof Error ? failure.message : String(failure) });
  }
}

export function Uploads() {
  if (going.value.length === 0) return null;
  return (
    <ul class="uploads" aria-label="Uploads">
      {going.value.map((upload) => (
        <li key={upload.key} class={upload.error === null ? "upload" : "upload failed"}>
          <span class="clip">{upload.name}</span>
          {upload.error === null ? (
            <>
              <progress max={upload.total} value={upload.sent} aria-label={`Upload of ${upload.name}`} />
              <span class="muted">
                {percent(upload.total > 0 ? upload.sent / upload.total : 1)} of {bytes(upload.total)}
              </span>
            </>
          ) : (
            <span role="alert">{upload.error}</span>
          )}
          <button
            type="button"
            class="button quiet icon small"
            aria-label={upload.error === null ? "Stop" : "Dismiss"}
            onClick={() => {
              upload.stop.abort();
              going.value = going.value.filter((u) => u.key !== upload.key);
            }}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}

// The whole home page takes what is dropped on it.
export function Drop({ limit, children }: { limit: number; children: ComponentChildren }) {
  const [over, setOver] = useState(0);
  return (
    <div
      class={over > 0 ? "drop over" : "drop"}
      onDragEnter={(event) => {
        event.preventDefault();
        setOver((n) => n + 1);
      }}
      onDragLeave={() => setOver((n) => Math.max(0, n - 1))}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        setOver(0);
        if (event.dataTransfer) void takeDrop(event.dataTransfer, limit);
      }}
    >
      {children}
      {over > 0 && (
        <div class="drop-sign" aria-hidden="true">
          Drop to open
        </div>
      )}
    </div>
  );
}

async function takeDrop(data: DataTransfer, limit: number): Promise<void> {
  // Entries are only there while the event is handled: all are taken before the first wait.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files: Piece[] = [];
  for (const entry of entries) {
    try {
      const pieces = await piecesOf(entry, "");
      if (entry.isDirectory) await send(pieces, true, limit);
      else files.push(...pieces);
    } catch (failure) {
      refuse(entry.name, failure);
    }
  }
  await sendFiles(files, limit);
}

// What cannot be read off the disk stands in the list beside what was sent.
function refuse(name: string, failure: unknown): void {
  const error = failure instanceof Error ? failure.message : String(failure);
  going.value = [...going.value, { key: keys++, name, sent: 0, total: 0, error, stop: new AbortController() }];
}

async function piecesOf(entry: FileSystemEntry, above: string): Promise<Piece[]> {
  const name = above + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    return [{ file, name }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const pieces: Piece[] = [];
  for (;;) {
    // A reader gives a hundred entries at a time, and none when it is through.
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return pieces;
    for (const child of some) pieces.push(...(await piecesOf(child, `${name}/`)));
  }
}
