// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { KEYS, keyFor } from "./keys";

const press = (key: string, shiftKey = false, ctrlKey = false) =>
  keyFor({ key, shiftKey, ctrlKey, metaKey: false, altKey: false })?.action ?? null;

test("no key means two things", () => {
  const all = KEYS.flatMap((key) => key.keys);
  expect(new Set(all).size).toBe(all.length);
});

test("letters work in either case; Shift is its own key", () => {
  expect(press("w")).toBe("zoomIn");
  expect(press("z")).toBe("undo");
  expect(press("Z", true)).toBe("redo");
  expect(press("M", true)).toBe("markers");
  expect(press("W", true)).toBeNull();
});

test("signs are what the keyboard makes of them, whatever Shift did", () => {
  expect(press("+", true)).toBe("zoomIn");
  expect(press("{", true)).toBe("parentEvent");
  expect(press("[")).toBe("previousEvent");
});

test("Ctrl belongs to the browser and the page", () => {
  expect(press("f", false, true)).toBeNull();
  expect(press("d", false, true)).toBeNull();
});

test("what the issue asks for has a key", () => {
  const actions = new Set(KEYS.map((key) => key.action));
  for (const wanted of [
    "nextEvent",
    "previousEvent",
    "nextGap",
    "previousGap",
    "marker",
    "undo",
    "redo",
    "boxSelect",
  ]) {
    expect(actions).toContain(wanted);
  }
});
