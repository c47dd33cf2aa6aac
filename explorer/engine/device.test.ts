// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test, vi } from "vitest";
import { focus, launch, page, reveal, traceIds } from "@/base/view";
import type { OpenedDevice, Trace } from "@/engine/api";
import type { Client } from "@/engine/client";
import { backToLaunch, openDevice } from "@/engine/device";

const from = {
  trace: "session",
  name: "eager",
  event: "23",
  execution: "1:120",
  program: "rsqrt",
  hash: "9",
  start_ns: 1000,
  dur_ns: 400_000,
  overhead_before_ns: 231_000,
  overhead_after_ns: 154_000,
  program_start_ns: 232_000,
};
const answer = (at: number): OpenedDevice => ({ trace: { id: "below" } as Trace, at, from });
const client = (at: number) => ({ device: vi.fn(async () => answer(at)) }) as unknown as Client;
const list = { add: vi.fn(), refresh: async () => undefined };

afterEach(() => {
  traceIds.value = [];
  launch.value = null;
  reveal.value = null;
});

test("a launch leads to its profile and the profile back to the launch", async () => {
  traceIds.value = ["session"];
  focus.value = "23";
  // What was shown last in the session means nothing in ps.
  reveal.value = { span: { from: 5, to: 6 }, lane: 1 };
  await openDevice(client(0), list, "session", "23");
  expect(traceIds.value).toEqual(["below", "session"]);
  expect(page.value).toBe("timeline");
  expect(launch.value).toEqual(from);
  // Nothing is chosen there, and all of it is shown.
  expect(focus.value).toBeNull();
  expect(reveal.value).toBeNull();
  backToLaunch(from);
  expect(traceIds.value).toEqual(["session", "below"]);
  expect(focus.value).toBe("23");
  expect(launch.value).toBeNull();
  expect(reveal.value).toEqual({ span: { from: 1000, to: 401_000 }, lane: null });
});

test("a moment inside the program is the middle of what is shown", async () => {
  await openDevice(client(2_000_000), list, "session", "23", 234_000);
  const span = (reveal.value as { span: { from: number; to: number } } | null)?.span;
  expect(((span?.from ?? 0) + (span?.to ?? 0)) / 2).toBe(2_000_000);
  // 5 % of the 15 us of the program on either side, in ps.
  expect((span?.to ?? 0) - (span?.from ?? 0)).toBe(1_500_000);
});

test("a refusal changes nothing", async () => {
  traceIds.value = ["session"];
  const refusing = { device: async () => Promise.reject(new Error("no profile")) } as unknown as Client;
  await expect(openDevice(refusing, list, "session", "23")).rejects.toThrow("no profile");
  expect(traceIds.value).toEqual(["session"]);
});
