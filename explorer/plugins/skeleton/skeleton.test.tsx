// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import type { TraceInfo } from "@/engine/api";
import { fakeFrame, fakeTable } from "@/engine/fake_table";
import { server } from "@/engine/server";
import { panel } from "@/plugins/skeleton";

it("the skeleton answers its question", async () => {
  vi.spyOn(server, "trace").mockResolvedValue({ trace: { state: "ready" } } as TraceInfo);
  vi.spyOn(server, "table").mockResolvedValue(
    fakeFrame([
      fakeTable("rows", [
        { name: "mul", device: "neuron:0", calls: 3 },
        { name: "add", device: "neuron:0", calls: 2 },
      ]),
    ]),
  );
  const root = document.createElement("div");
  await act(() => render(<panel.Component trace="t" />, root));
  for (let i = 0; i < 4; i++) await act(() => Promise.resolve());
  expect(root.textContent).toBe("neuron:0: 5");
  render(null, root);
  vi.restoreAllMocks();
});
