// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { followAddress, readAddress, type ViewState, writeAddress } from "@/app/address";
import { scope } from "@/base/scope";
import { focus, page, range, search, traceIds, visible } from "@/base/view";

const full: ViewState = {
  page: "timeline",
  traces: ["a1b2", "c3d4"],
  span: { from: -1200, to: 4_871_288 },
  range: { from: 10, to: 20 },
  scope: "visible",
  focus: "3:2103",
  search: "aten::mul & more, please",
  panel: "gaps",
  from: { trace: "e5f6", event: "1:7" },
};

describe("address", () => {
  it("gives back what was written", () => {
    expect(readAddress(writeAddress(full))).toEqual(full);
  });
  it("is readable", () => {
    expect(writeAddress({ ...full, search: "aten::mul" })).toBe(
      "#timeline?t=a1b2,c3d4&span=-1200..4871288&range=10..20&only=visible&focus=3:2103&q=aten::mul&panel=gaps&from=e5f6,1:7",
    );
  });
  it("leaves out what cannot be read", () => {
    expect(readAddress("#<script>?span=9..1&focus=x&range=1e9..2&t=,,")).toEqual({
      page: "home",
      traces: [],
      span: null,
      range: null,
      scope: null,
      focus: null,
      search: "",
      panel: null,
      from: null,
    });
  });
  it("keeps ids and long offsets exact", () => {
    const span = { from: 9_007_199_254_740, to: 9_007_199_254_741 };
    expect(readAddress(writeAddress({ ...full, span })).span).toEqual(span);
  });
  it("takes the view from the address at the start and when the reader goes back", () => {
    history.replaceState(null, "", "#timeline?t=a1&span=5..50&focus=7&q=mul");
    const stop = followAddress();
    expect([page.value, traceIds.value, visible.value, focus.value, search.value, range.value]).toEqual([
      "timeline",
      ["a1"],
      { from: 5, to: 50 },
      "7",
      "mul",
      null,
    ]);
    history.replaceState(null, "", "#summary?t=b2");
    dispatchEvent(new Event("popstate"));
    expect([page.value, traceIds.value, focus.value]).toEqual(["summary", ["b2"], null]);
    stop();
  });
  it("holds which time tables speak of", () => {
    const at = (hash: string) => {
      history.replaceState(null, "", hash);
      dispatchEvent(new Event("popstate"));
      return scope.value;
    };
    const stop = followAddress();
    expect(at("#tables?t=a1&range=5..50")).toBe("range");
    expect(at("#tables?t=a1&range=5..50&only=visible")).toBe("visible");
    expect(at("#tables?t=a1&range=5..50&only=whole")).toBe("whole");
    expect(at("#tables?t=a1&only=range")).toBe("whole");
    stop();
  });
});
