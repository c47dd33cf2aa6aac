// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { markersOf } from "./kept";
import { differences, markersText, readMarkers } from "./markers";

const origin = "1700000000000000000";
const markers = [
  { at: 5000, note: "second" },
  { at: 1200, note: 'with "quotes" and ü' },
];

test("a saved file is read back, in order of time", () => {
  expect(readMarkers(markersText("t", origin, markers), origin)).toEqual({ markers: [markers[1], markers[0]] });
});

test("markers of a trace with another origin stay at their moment of the clock", () => {
  const text = markersText("t", origin, [{ at: 1000, note: "" }]);
  expect(readMarkers(text, "1700000000000000400")).toEqual({ markers: [{ at: 600, note: "" }] });
});

test("what is no file of markers is refused with a sentence", () => {
  const wrong = ["{", "[]", "null", '{"schema":2,"markers":[]}', '{"schema":1,"markers":[{"note":"x"}]}'];
  for (const text of wrong) expect(readMarkers(text, origin)).toHaveProperty("error");
  const otherClock = JSON.stringify({ schema: 1, origin: "boot", markers: [{ at_ns: 1 }] });
  expect(readMarkers(otherClock, origin)).toHaveProperty("error");
});

test("differences are to the marker before", () => {
  expect(differences([markers[1] as never, markers[0] as never])).toEqual([null, 3800]);
});

test("kept state that is damaged counts as what is left of it", () => {
  expect(markersOf([{ at: 1, note: "a" }, { at: "x" }, null, { at: 2 }])).toEqual([
    { at: 1, note: "a" },
    { at: 2, note: "" },
  ]);
  expect(markersOf("nonsense")).toEqual([]);
});
