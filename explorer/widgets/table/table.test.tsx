// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Source } from "@/widgets/table/columns";
import { Table } from "@/widgets/table/table";
import type { TableLayout } from "@/widgets/table/view";

const numbers = (name: string, type: string, values: number[]) => ({
  name,
  type,
  storage: "f64",
  values: Float64Array.from(values),
  dictionary: null,
  list: null,
});
const texts = (name: string, dictionary: string[]) => ({
  ...numbers(name, "text", []),
  storage: "dict",
  values: Uint32Array.from(dictionary.keys()),
  dictionary,
});
const source: Source = {
  name: "rows",
  rows: 3,
  columns: [
    texts("name", ["aten::mul", "aten::add", "aten::rsqrt"]),
    numbers("calls", "count", [3, 1, 1]),
    numbers("self_device_ns", "ns", [1_163_754, 387_853, 389_203]),
  ],
};

let root: HTMLElement;
beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});
afterEach(() => {
  render(null, root);
  root.remove();
});

const rows = () =>
  [...root.querySelectorAll(".table-row")].map((row) => [...row.querySelectorAll(".cell")].map((c) => c.textContent));
const grid = () => root.querySelector('[role="grid"]') as HTMLElement;
const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    grid().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  });
const show = (props: Partial<Parameters<typeof Table>[0]> = {}) =>
  act(() => render(<Table source={source} label="operators" sort={SORT} group={GROUP} {...props} />, root));
const SORT = { column: "self_device_ns", falling: true };
const GROUP = ["calls"];

describe("Table", () => {
  it("shows rows in order, in one unit, with their sum", async () => {
    await show();
    expect(rows()).toEqual([
      ["aten::mul", "3", "1,163.754"],
      ["aten::rsqrt", "1", "389.203"],
      ["aten::add", "1", "387.853"],
    ]);
    expect(root.querySelector(".table-head")?.textContent).toContain("µs");
    expect(root.querySelector(".table-foot")?.textContent).toContain("1,940.810");
    expect(grid().getAttribute("aria-rowcount")).toBe("4");
  });
  it("sorts by a header's click and says so", async () => {
    await show();
    const head = root.querySelectorAll<HTMLElement>('[role="columnheader"]')[0];
    await act(() => head?.click());
    expect(rows().map((row) => row[0])).toEqual(["aten::add", "aten::mul", "aten::rsqrt"]);
    expect(root.querySelectorAll('[role="columnheader"]')[0]?.getAttribute("aria-sort")).toBe("ascending");
  });
  it("picks the row of the keyboard, not of the order in the source", async () => {
    const picked: number[] = [];
    await show({ onPick: (row) => picked.push(row) });
    await press("ArrowDown");
    await press("Enter");
    expect(picked).toEqual([2]);
    const active = grid().getAttribute("aria-activedescendant") ?? "";
    expect(document.getElementById(active)?.textContent).toContain("aten::rsqrt");
  });
  it("goes up into the header and sorts there", async () => {
    await show();
    await press("ArrowUp");
    await press("ArrowRight");
    await press("Enter");
    expect(root.querySelectorAll('[role="columnheader"]')[1]?.getAttribute("aria-sort")).toBe("descending");
  });
  it("filters while one types, and the count follows", async () => {
    await show();
    const field = root.querySelector('input[type="search"]') as HTMLInputElement;
    await act(() => {
      field.value = "calls=1";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(rows().map((row) => row[0])).toEqual(["aten::rsqrt", "aten::add"]);
    expect(root.querySelector(".table-count")?.textContent).toBe("2 of 3 rows");
  });
  it("copies the row of the keyboard as tab-separated text", async () => {
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    await show();
    await press("c", { ctrlKey: true });
    expect(write).toHaveBeenCalledWith("name\tcalls\tself_device_ns\naten::mul\t3\t1163754\n");
    write.mockRestore();
  });
  it("groups, opens a group by key, and hands over what was chosen", async () => {
    let kept: TableLayout = {};
    await show({
      onLayout: (layout) => {
        kept = layout;
      },
    });
    const group = root.querySelector("select") as HTMLSelectElement;
    await act(() => {
      group.value = "calls";
      group.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(kept.group).toBe("calls");
    expect(root.querySelectorAll(".table-row.group").length).toBe(2);
    await press("Enter");
    expect(root.querySelectorAll(".table-row:not(.group)").length).toBe(1);
    expect(root.querySelector(".table-row.group")?.getAttribute("aria-expanded")).toBe("true");
  });
  it("says what an empty table means", async () => {
    await show({ source: { name: "rows", rows: 0, columns: [texts("name", [])] }, empty: "Nothing was copied." });
    expect(root.querySelector(".table-empty")?.textContent).toBe("Nothing was copied.");
  });
});
