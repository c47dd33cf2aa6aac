// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { panelOf, panels } from "@/app/plugins";
import { PanelView } from "@/app/table_panel";
import { scope } from "@/base/scope";
import { focus, range, reveal, selection } from "@/base/view";
import type { TableRequest, TraceInfo } from "@/engine/api";
import { fakeFrame, fakeTable } from "@/engine/fake_table";
import { server } from "@/engine/server";

const trace = (id: string, state: "ready" | "importing") =>
  ({ trace: { id, state, name: id, path: id }, names: [] }) as unknown as TraceInfo;

let root: HTMLElement;
beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
  range.value = null;
  vi.spyOn(server, "trace").mockImplementation(async (id) => trace(id, id === "young" ? "importing" : "ready"));
});
afterEach(() => {
  render(null, root);
  root.remove();
  vi.restoreAllMocks();
});
const show = async (panel: string, id: string) => {
  await act(() => render(<PanelView panel={panelOf(panel, "session")} trace={id} />, root));
  // The info, then the table.
  for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
};
const press = (key: string) =>
  act(() => {
    root.querySelector('[role="grid"]')?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });

describe("table panels", () => {
  it("each have an id of their own, a question, and columns", () => {
    expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
    for (const panel of panels) {
      expect(panel.about.length).toBeGreaterThan(10);
      if (panel.kind === "table") for (const part of panel.parts) expect(part.columns.length).toBeGreaterThan(1);
    }
  });
  it("bring a row's events to the timeline", async () => {
    vi.spyOn(server, "table").mockResolvedValue(
      fakeFrame([
        fakeTable("findings", [
          { kind: "hot_op", text: "mul costs most", gain_ns: 5, evidence: [3, 2 ** 32 + 4] },
          { kind: "host_bound", text: "the device waits", gain_ns: 9, evidence: [8] },
        ]),
      ]),
    );
    const select = vi.spyOn(server, "select").mockResolvedValue(
      fakeFrame(
        [
          fakeTable("selection", [
            { event: 3, lane: 1, start_ns: 100, dur_ns: 10 },
            { event: 2 ** 32 + 4, lane: 2, start_ns: 300, dur_ns: 10 },
          ]),
        ],
        { total: 2, count: 2, first_ns: 100, last_ns: 310, selection: 17 },
      ),
    );
    await show("findings", "one");
    await press("Enter");
    await act(() => Promise.resolve());
    expect(select).toHaveBeenCalledWith("one", { events: ["3", "1:4"] });
    expect(selection.value).toEqual({ events: ["3", "1:4"], token: 17, text: "2 × mul costs most" });
    expect(focus.value).toBe("3");
    expect(reveal.value).toEqual({ span: { from: 100, to: 310 }, lane: 1 });
  });
  it("bring the runs that a row of a device profile speaks of", async () => {
    vi.spyOn(server, "table").mockResolvedValue(
      fakeFrame([
        fakeTable("opcodes", [
          { opcode: "matmul", engine: "tensor", runs: 2, time_ps: 900 },
          { opcode: "tensor_copy", engine: "vector", runs: 1, time_ps: 500 },
        ]),
      ]),
    );
    const select = vi
      .spyOn(server, "select")
      .mockResolvedValue(
        fakeFrame([fakeTable("selection", [{ event: 3, lane: 1, start_ns: 100, dur_ns: 10 }])], { total: 1, count: 1 }),
      );
    await act(() => render(<PanelView panel={panelOf("instructions", "device")} trace="below" />, root));
    for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
    await press("Enter");
    await act(() => Promise.resolve());
    expect(select).toHaveBeenCalledWith("below", { where: { opcode: "matmul", engine: "tensor", with_dmas: true } });
    expect(focus.value).toBe("3");
  });
  it("ask for the marked range only, and for all again when it is gone", async () => {
    const asked: TableRequest[] = [];
    vi.spyOn(server, "table").mockImplementation(async (_id, _name, request = {}) => {
      asked.push(request);
      return fakeFrame([fakeTable("rows", [{ name: "aten::mul", calls: 1 }])]);
    });
    await show("operators", "two");
    range.value = { from: 10.4, to: 20.2 };
    for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
    expect(scope.value).toBe("range");
    expect(asked).toEqual([{}, { from: 10, to: 21 }]);
    range.value = null;
    for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
    expect(scope.value).toBe("whole");
    // That answer was kept.
    expect(asked.length).toBe(2);
  });
  it("wait while the file is read", async () => {
    const table = vi.spyOn(server, "table");
    await show("operators", "young");
    expect(root.textContent).toContain("still being read");
    expect(table).not.toHaveBeenCalled();
  });
  it("say the server's sentence when it refuses", async () => {
    vi.spyOn(server, "table").mockRejectedValue(new Error("the file is gone"));
    await show("kernels", "three");
    expect(root.querySelector('[role="alert"]')?.textContent).toContain("The file is gone.");
  });
});
