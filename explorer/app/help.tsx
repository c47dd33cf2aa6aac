// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the keys do, from the lists beside the code that reads them.
import { globalKeys, type KeyLine } from "@/app/keys";
import { GESTURES, KEYS, LANE_KEYS } from "@/timeline/keys";
import { Dialog } from "@/widgets/dialog";
import { tableKeys } from "@/widgets/table/keys";

const groups: { title: string; keys: KeyLine[] }[] = [
  { title: "Everywhere", keys: globalKeys },
  ...[...new Set(KEYS.map((key) => key.group))].map((group) => ({
    title: `Timeline: ${group.toLowerCase()}`,
    keys: KEYS.filter((key) => key.group === group).map((key) => ({ keys: key.keys.join(" "), does: key.text })),
  })),
  {
    title: "Timeline: pointer",
    keys: GESTURES.map(({ gesture, text }) => ({ keys: gesture, does: text, words: true })),
  },
  {
    title: "Timeline: column of lanes",
    keys: LANE_KEYS.map(({ keys, text }) => ({ keys: keys.join(" "), does: text })),
  },
  { title: "Tables", keys: tableKeys },
];

// Names of keys as the keyboard shows them.
const SIGNS: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  PageUp: "PgUp",
  PageDown: "PgDn",
  Escape: "Esc",
};

export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog label="Help" className="help" onClose={onClose}>
      <header class="help-head">
        <h2>Keys</h2>
        <span class="spring" />
        <button type="button" class="button quiet small" onClick={onClose}>
          Close
        </button>
      </header>
      <div class="help-groups">
        {groups.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map((line) => (
                <div key={line.keys + line.does} class="help-line">
                  <dt>
                    {line.words
                      ? line.keys
                      : line.keys.split(" ").map((key) => <kbd key={key}>{SIGNS[key] ?? key}</kbd>)}
                  </dt>
                  <dd>{line.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
