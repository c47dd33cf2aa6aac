// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it } from "vitest";
import { globalKey, globalKeys } from "@/app/keys";
import { letterOf, pagesOf } from "@/app/pages";
import { page, traceIds } from "@/base/view";

let told: string[] = [];
const on = {
  search: () => told.push("search"),
  above: (what: string | null) => told.push(String(what)),
};
const press = (key: string, at: number, target: Partial<HTMLElement> = document.body, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, ...more });
  Object.defineProperty(event, "timeStamp", { value: at });
  Object.defineProperty(event, "target", { value: target });
  return globalKey(event, on);
};

beforeEach(() => {
  told = [];
  page.value = "timeline";
  traceIds.value = ["a"];
  press("Escape", 1e9);
});

describe("keys of every page", () => {
  it("take ? and / from the first moment on", () => {
    expect(press("?", 10)).toBe(true);
    expect(press("/", 20)).toBe(true);
    expect(told).toEqual(["help", "search"]);
  });
  it("go to a page by g and a letter, within a second", () => {
    press("g", 100);
    expect(press("s", 600)).toBe(true);
    expect(page.value).toBe("summary");
    press("g", 2000);
    expect(press("f", 3500)).toBe(false);
    expect(page.value).toBe("summary");
  });
  it("leave letters alone where one writes, but not Ctrl+K", () => {
    const field = document.createElement("input");
    expect(press("?", 10, field)).toBe(false);
    expect(press("k", 10, field, { ctrlKey: true })).toBe(true);
  });
  it("have a letter of its own for each page, and are all in the list", () => {
    const letters = globalKeys.filter((line) => line.keys.startsWith("g ")).map((line) => line.keys);
    expect(new Set(letters).size).toBe(letters.length);
    // A trace has one of the two summaries.
    for (const kind of ["session", "device"] as const) {
      const ofKind = pagesOf(kind).map(letterOf);
      expect(new Set(ofKind).size).toBe(ofKind.length);
      for (const letter of ofKind) expect(letters).toContain(`g ${letter}`);
    }
  });
  it("know only home without a trace", () => {
    traceIds.value = [];
    press("g", 100);
    expect(press("s", 200)).toBe(false);
    press("g", 300);
    expect(press("h", 400)).toBe(true);
    expect(page.value).toBe("home");
  });
});
