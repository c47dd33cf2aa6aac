// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything the palette offers: pages, tables, traces, layouts and switches.
import { closeTrace, compareThese } from "@/app/front";
import { uploads } from "@/app/home/upload";
import { kindOf } from "@/app/kind";
import { arrange, panel, presets } from "@/app/layout";
import { letterOf, pageFor, pagesOf } from "@/app/pages";
import { panelsOf } from "@/app/plugins";
import { bringToFront } from "@/base/front";
import { chooseTheme } from "@/base/theme";
import { focus, launch, page, range, traceIds } from "@/base/view";
import { backToLaunch, openDevice } from "@/engine/device";
import { opened } from "@/engine/opened";
import { isReport, server } from "@/engine/server";
import { KEYS } from "@/timeline/keys";

export interface Command {
  group: string;
  title: string;
  keys?: string;
  run(): void;
}

export function commands(on: { help(): void; search(): void }): Command[] {
  const list: Command[] = [];
  const add = (group: string, title: string, run: () => void, keys?: string) =>
    list.push(keys === undefined ? { group, title, run } : { group, title, run, keys });
  const go = (id: string) => () => {
    page.value = id;
  };
  const front = traceIds.value[0];
  const kind = kindOf(front) ?? "session";
  const traces = opened.home.value?.traces ?? [];
  if (front !== undefined) {
    for (const p of pagesOf(kind)) add("Page", p.title, go(p.id), `g ${letterOf(p)}`);
  }
  if (!isReport) add("Page", "Home", go("home"), "g h");
  if (front !== undefined) {
    for (const p of panelsOf(kind)) {
      add("Table", p.title, () => {
        panel.value = p.id;
        if (page.value === "timeline") arrange({ showBottom: true });
        else page.value = "tables";
      });
    }
  }
  if (front !== undefined && page.value === "timeline") {
    for (const key of KEYS) {
      if (!key.held) add("Timeline", key.text, () => press(key.keys[0] ?? ""), key.keys.join(" "));
    }
  }
  for (const trace of traces) {
    if (trace.id !== front) add("Trace", trace.name, () => bringToFront(trace.id, pageFor(trace.kind, page.value)));
  }
  const sessions = traces.filter((t) => t.kind !== "device");
  if (sessions.length > 1) add("Trace", "Compare all open traces", () => compareThese(sessions.map((t) => t.id)));
  if (!isReport) {
    add("Trace", "Open a file …", () => uploads.choose(false));
    add("Trace", "Open a folder …", () => uploads.choose(true));
  }
  const held = traces.find((trace) => trace.id === front);
  if (held && !isReport) add("Trace", `Close ${held.name}`, () => void closeTrace(held.id));
  for (const preset of presets) add("Layout", preset.title, () => arrange(preset.layout));
  if (front !== undefined) {
    if (!isReport) add("Search", "Search events", on.search, "/");
    const event = focus.value;
    if (kind === "session" && event !== null && !isReport) {
      add("Device", "Open the device profile of the event in front", () => {
        openDevice(server, opened, front, event).catch((reason: unknown) => {
          opened.trouble.value = reason instanceof Error ? reason.message : String(reason);
        });
      });
    }
    const from = launch.value;
    if (kind === "device" && from) add("Device", "Back to the launch", () => backToLaunch(from));
    if (range.value) {
      add("Range", "Clear the marked range", () => {
        range.value = null;
      });
    }
    if (!isReport && kind === "session")
      add("Export", "Save as Perfetto trace", () => download(server.exportAddress(front, "perfetto")));
  }
  add("Colours", "Light", () => chooseTheme("light"));
  add("Colours", "Dark", () => chooseTheme("dark"));
  add("Colours", "As the system", () => chooseTheme("system"));
  add("Help", "Keys", on.help, "?");
  return list;
}

// The timeline acts by its own table of keys: a command is the key.
function press(text: string): void {
  const shiftKey = text.startsWith("Shift+");
  const key = shiftKey ? text.slice(6) : text;
  document
    .querySelector(".tl [role=grid]")
    ?.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
}

function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
