// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of everything that can be done, found by typing.
import { useMemo, useState } from "preact/hooks";
import { commands } from "@/app/commands";
import { Dialog } from "@/widgets/dialog";

interface PaletteProps {
  onClose(): void;
  onHelp(): void;
  onSearch(): void;
}

export function Palette({ onClose, onHelp, onSearch }: PaletteProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const all = useMemo(() => commands({ help: onHelp, search: onSearch }), [onHelp, onSearch]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((command) => {
    const line = `${command.group} ${command.title}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
  const now = Math.min(at, found.length - 1);
  const run = (index: number) => {
    const command = found[index];
    if (!command) return;
    onClose();
    command.run();
  };
  return (
    <Dialog label="Commands" className="palette" onClose={onClose}>
      <input
        class="palette-field"
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={now >= 0 ? `palette-${now}` : undefined}
        placeholder="What do you want to do?"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(now + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, now - 1));
          else if (event.key === "Enter") run(now);
          else return;
          event.preventDefault();
          document
            .getElementById(`palette-${event.key === "ArrowDown" ? now + 1 : now - 1}`)
            ?.scrollIntoView({ block: "nearest" });
        }}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, i) => (
          <div
            key={command.group + command.title}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            class="palette-line"
            aria-selected={i === now}
            onPointerDown={(event) => {
              event.preventDefault();
              run(i);
            }}
          >
            <span class="muted palette-group">{command.group}</span>
            <span class="clip">{command.title}</span>
            {command.keys && (
              <span class="palette-keys">
                {command.keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            )}
          </div>
        ))}
        {found.length === 0 && <p class="notice">No command has these words.</p>}
      </div>
    </Dialog>
  );
}
