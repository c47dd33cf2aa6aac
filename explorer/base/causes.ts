// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a device was idle: the causes of `lanewise gaps` with the words and the colour that all parts of the page use. Colours
// are variables of the style sheet (app/style/tokens.css), so both themes have their own.

export interface Cause {
  id: string;
  title: string;
  // Plain words: what happened.
  about: string;
  color: string;
}

export const causes: Cause[] = [
  cause("host_busy", "host busy", "Nothing was submitted: the host was busy with other code."),
  cause("launch_latency", "launch latency", "Work was submitted and had not started yet."),
  cause("synchronize", "synchronize", "Nothing was submitted: the host waited for the device."),
  cause("copy_wait", "copy", "A copy was on its way, or the host was inside a copy call."),
  cause("overhead", "execution overhead", "Inside an execution, before or after the program itself."),
  cause("profiler", "profiler", "The profiler itself kept the host busy."),
  cause(
    "sim_lag",
    "simulator lag",
    "The simulator was slower than the device it simulates; no device time includes it.",
  ),
  cause("queue_empty_start", "before the first work", "Nothing had been submitted yet."),
  cause("queue_empty_end", "after the last work", "Nothing was submitted any more."),
  cause("unknown", "unknown", "The file gives no ground for a cause."),
];

const byId = new Map(causes.map((c) => [c.id, c]));

export function isCause(id: string): boolean {
  return byId.has(id);
}

export function causeOf(id: string): Cause {
  return byId.get(id) ?? { id, title: id.replaceAll("_", " "), about: "", color: "var(--cause-unknown)" };
}

// For columns that hold causes.
export const causeWords: Readonly<Record<string, string>> = Object.fromEntries(causes.map((c) => [c.id, c.title]));

function cause(id: string, title: string, about: string): Cause {
  return { id, title, about, color: `var(--cause-${id.replaceAll("_", "-")})` };
}
