// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it, vi } from "vitest";
import { launch } from "@/base/view";
import type { EventDetails, SelectRequest } from "@/engine/api";
import { fakeFrame, fakeTable } from "@/engine/fake_table";
import { tables } from "@/engine/opened";
import { server } from "@/engine/server";
import { LaunchSource, marksOf } from "@/plugins/details/launch_source";

const LINES = fakeTable("lines", [
  { file: "/m/model.py", line: 12, time_ps: 3_000_000 },
  { file: "unknown", line: null, time_ps: 1_000_000 },
]);

function run(args: Record<string, unknown>, stack: EventDetails["stack"]): EventDetails {
  return { id: "7", args, stack } as unknown as EventDetails;
}

async function shown(event: EventDetails): Promise<HTMLElement> {
  const root = document.createElement("div");
  await act(() => render(<LaunchSource trace="t" event={event} />, root));
  for (let i = 0; i < 6; i++) await act(() => Promise.resolve());
  return root;
}

afterEach(() => {
  vi.restoreAllMocks();
  launch.value = null;
});

it("leads from an instruction to its line, and from a line to its instructions", async () => {
  const asked: SelectRequest[] = [];
  vi.spyOn(tables, "table").mockResolvedValue(fakeFrame([LINES]));
  vi.spyOn(server, "source").mockResolvedValue({
    file: "/m/model.py",
    first_line: 11,
    lines: ["a", "y = norm(x)", "b"],
    line: 12,
  });
  vi.spyOn(server, "select").mockImplementation((_, request) => {
    asked.push(request);
    return Promise.reject(new Error("no such line"));
  });
  const root = await shown(
    run({ aten_node: "aten::mul.Tensor", source_node: "mul_1", module: "Net.norm", module_class: "RMSNorm" }, [
      { name: "rms_norm", file: "/x/torch/nn/functional.py", line: 3 },
      { name: "forward", file: "/m/model.py", line: 12 },
    ]),
  );
  expect(root.textContent).toContain("mul_1 (aten::mul.Tensor)");
  expect(root.textContent).toContain("Net.norm (RMSNorm)");
  // Only the line that became something can be chosen.
  const marks = [...root.querySelectorAll<HTMLElement>(".source-go")];
  expect(marks.map((m) => m.textContent)).toEqual(["3.00 µs"]);
  const press = async (button: HTMLElement | undefined) => {
    await act(() => button?.click());
    for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
  };
  await press(marks[0]);
  for (const button of root.querySelectorAll<HTMLElement>(".details-buttons button")) await press(button);
  expect(asked).toEqual([
    { where: { file: "/m/model.py", line: 12, with_dmas: true } },
    { where: { node: "mul_1", with_dmas: true } },
    { where: { file: "/m/model.py", line: 12, with_dmas: true } },
    { where: { module: "Net.norm", with_dmas: true } },
  ]);
  expect(root.querySelector('[role="alert"]')?.textContent).toBe("no such line");
  render(null, root);
});

it("says what is missing when the profile was opened by itself", async () => {
  const root = await shown(run({ aten_node: "aten::add.Tensor" }, []));
  expect(root.textContent).toContain("opened by itself");
  expect(root.querySelectorAll(".source-go").length).toBe(0);
  render(null, root);
});

it("knows no mark where the table has no line", () => {
  const marks = marksOf(LINES);
  expect(marks("/m/model.py", 12)).toBe("3.00 µs");
  expect(marks("/m/model.py", 13)).toBeNull();
  expect(marksOf(undefined)("/m/model.py", 12)).toBeNull();
});
