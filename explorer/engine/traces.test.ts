// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";
import type { Home, Trace, TraceInfo } from "@/engine/api";
import type { Client, ProgressListener } from "@/engine/client";
import { fakeFrame, fakeTable } from "@/engine/fake_table";
import { keptTables } from "@/engine/tables";
import { openedTraces } from "@/engine/traces";

const trace = (id: string, state: Trace["state"]) => ({ id, name: id, path: id, state }) as Trace;

describe("open traces", () => {
  it("opens the stream of progress only while something is importing, and asks once more at its end", async () => {
    let state: Trace["state"] = "importing";
    let listener: ProgressListener | null = null;
    const client = {
      home: vi.fn(async () => ({ traces: [trace("a", state)] }) as unknown as Home),
      trace: vi.fn(
        async (id: string) => ({ trace: trace(id, state), end: state === "ready" ? 9 : 4 }) as unknown as TraceInfo,
      ),
      progress: vi.fn((to: ProgressListener) => {
        listener = to;
        return () => undefined;
      }),
    };
    const opened = openedTraces(client as unknown as Client);
    await opened.refresh();
    const info = opened.info("a");
    await Promise.resolve();
    expect(client.progress).toHaveBeenCalledTimes(1);
    await opened.refresh();
    expect(client.progress).toHaveBeenCalledTimes(1);
    state = "ready";
    (listener as ProgressListener | null)?.trace(trace("a", "ready"));
    (listener as ProgressListener | null)?.idle();
    await vi.waitFor(() => expect(info.value?.end).toBe(9));
    expect(opened.home.value?.traces[0]?.state).toBe("ready");
    expect(client.progress).toHaveBeenCalledTimes(1);
  });
  it("says the server's sentence, and forgets it when the server answers again", async () => {
    let down = true;
    const client = {
      home: async () => {
        if (down) throw new Error("no answer");
        return { traces: [] } as unknown as Home;
      },
    };
    const opened = openedTraces(client as unknown as Client);
    await opened.refresh();
    expect(opened.trouble.value).toBe("no answer");
    down = false;
    await opened.refresh();
    expect(opened.trouble.value).toBeNull();
  });
});

describe("kept tables", () => {
  it("asks once for the same question and stays below its limit", async () => {
    const table = vi.fn(async () => fakeFrame([fakeTable("rows", [{ calls: 1 }, { calls: 2 }])]));
    const kept = keptTables({ table } as unknown as Client, 40);
    await kept.table("a", "ops", {});
    await kept.table("a", "ops", {});
    expect(table).toHaveBeenCalledTimes(1);
    await kept.table("a", "ops", { from: 1, to: 2 });
    await kept.table("a", "kernels", {});
    expect(kept.bytes()).toBeLessThanOrEqual(40);
    await kept.table("a", "kernels", {});
    expect(table).toHaveBeenCalledTimes(3);
    // The oldest had to go.
    await kept.table("a", "ops", {});
    expect(table).toHaveBeenCalledTimes(4);
  });
});
