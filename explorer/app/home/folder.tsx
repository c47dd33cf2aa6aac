// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What lies in a folder that the user named: traces, captures and further folders.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { bytes } from "@/base/units";
import { server } from "@/engine/server";
import { FileIcon, FolderIcon } from "@/widgets/icons";
import { Wait } from "@/widgets/wait";

interface FolderProps {
  path: string;
  onOpen(path: string): void;
  onClose(): void;
}

export function FolderList({ path, onOpen, onClose }: FolderProps) {
  const [trail, setTrail] = useState<string[]>([path]);
  const now = trail[trail.length - 1] ?? path;
  const answer = useAnswer((stop) => server.folder(now, stop), [now]);
  return (
    <section class="home-section" aria-labelledby="home-folder-title">
      <header>
        <h3 id="home-folder-title" class="clip">
          {now}
        </h3>
        <span class="spring" />
        {trail.length > 1 && (
          <button type="button" class="button small" onClick={() => setTrail(trail.slice(0, -1))}>
            Back
          </button>
        )}
        <button type="button" class="button small" onClick={() => onOpen(now)}>
          Open all as ranks
        </button>
        <button type="button" class="button quiet small" onClick={onClose}>
          Close
        </button>
      </header>
      <Wait answer={answer}>
        {(folder) => (
          <ul class="cards">
            {folder.entries.map((entry) => (
              <li key={entry.path} class="card">
                <button
                  type="button"
                  class="card-main row"
                  onClick={() => (entry.kind === "folder" ? setTrail([...trail, entry.path]) : onOpen(entry.path))}
                >
                  {entry.kind === "trace" ? <FileIcon /> : <FolderIcon />}
                  <span class="card-name clip">{entry.name}</span>
                </button>
                <span class="muted">
                  {entry.kind === "capture" ? "capture" : entry.kind === "trace" ? bytes(entry.bytes) : ""}
                </span>
              </li>
            ))}
            {folder.entries.length === 0 && <p class="notice">No trace lies in this folder.</p>}
          </ul>
        )}
      </Wait>
    </section>
  );
}
