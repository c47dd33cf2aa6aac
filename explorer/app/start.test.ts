// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";
import { openStudy, startOf } from "@/app/start";
import { page, traceIds } from "@/base/view";
import type { Folder, Trace } from "@/engine/api";
import type { Client } from "@/engine/client";
import { opened } from "@/engine/opened";

const trace = (id: string, simulated: string | null = null, state: Trace["state"] = "ready") =>
  ({ id, name: id, path: id, state, simulated }) as Trace;

describe("start", () => {
  it("shows the one trace, compares variants, lists the rest", () => {
    expect(startOf([trace("a")])).toEqual({ page: "timeline", id: "a" });
    expect(startOf([trace("a"), trace("b", null, "failed")])).toEqual({ page: "timeline", id: "a" });
    expect(startOf([trace("a", "trn2"), trace("b", "trn2")])).toEqual({ page: "compare", ids: ["a", "b"] });
    expect(startOf([trace("a", "trn2"), trace("b")])).toEqual({ page: "home" });
    expect(startOf([])).toEqual({ page: "home" });
  });
  it("opens the study's captures in the order of its story", async () => {
    const folders: Record<string, Folder["entries"]> = {
      "/s": ["compiled", "eager", "fused"].map((name) => entry(`/s/${name}`, "folder")),
      "/s/compiled": [entry("/s/compiled/t", "capture")],
      "/s/eager": [entry("/s/eager/i-1", "folder")],
      "/s/eager/i-1": [entry("/s/eager/i-1/t", "capture")],
      "/s/fused": [entry("/s/fused/t", "capture")],
    };
    const client = {
      folder: async (path: string) => ({ path, entries: folders[path] ?? [] }),
      open: async (path: string) => trace(path.split("/")[2] ?? path, "trn2"),
    } as unknown as Client;
    vi.spyOn(opened, "refresh").mockResolvedValue();
    await openStudy(client, "/s");
    expect([page.value, traceIds.value]).toEqual(["compare", ["eager", "fused", "compiled"]]);
    await expect(openStudy(client, "/none")).rejects.toThrow("no capture");
    vi.restoreAllMocks();
  });
});

function entry(path: string, kind: "folder" | "capture") {
  return { name: path.split("/").pop() ?? "", path, kind, bytes: 0, when: "" };
}
