// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test, vi } from "vitest";
import { httpClient } from "@/engine/client";
import { ServerError } from "@/engine/transport";

const base = "http://127.0.0.1:7424/below/a/prefix/";

function answer(body: unknown, status = 200) {
  const sent = vi.fn(async (_address: URL, _init: RequestInit) => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal("fetch", sent);
  return sent;
}

afterEach(() => vi.unstubAllGlobals());

test("addresses stay below the page's own, so that a path prefix changes nothing", async () => {
  const sent = answer({ lanes: [] });
  await httpClient(base).lanes("ab/c");
  expect(String(sent.mock.calls[0]?.[0])).toBe(`${base}api/trace/ab%2Fc/lanes`);
});

test("an error holds the server's sentence and status", async () => {
  answer({ error: "no such trace" }, 404);
  await expect(httpClient(base).trace("x")).rejects.toEqual(new ServerError(404, "no such trace"));
});

test("an error page of a proxy gives the status", async () => {
  vi.stubGlobal("fetch", async () => new Response("<html>bad gateway", { status: 502 }));
  await expect(httpClient(base).home()).rejects.toThrow("status 502");
});

test("a server that is gone is a sentence, not a TypeError", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(httpClient(base).home()).rejects.toMatchObject({ status: 0 });
});

test("state that was never kept is null; other failures are failures", async () => {
  answer({ error: "nothing kept" }, 404);
  expect(await httpClient(base).state("layout")).toBeNull();
  answer({ error: "no cookie" }, 401);
  await expect(httpClient(base).state("layout")).rejects.toMatchObject({ status: 401 });
});

test("a step answers an event or a gap", async () => {
  const sent = answer({ gap: { from: 1, to: 5, cause: "sync", device: "d" } });
  const got = await httpClient(base).step("t", { lane: 1, row: 0, at: 9, dir: "next", what: "gap" });
  expect(got).toEqual({ event: null, gap: { from: 1, to: 5, cause: "sync", device: "d" } });
  expect(JSON.parse(String(sent.mock.calls[0]?.[1].body))).toEqual({
    lane: 1,
    row: 0,
    at: 9,
    dir: "next",
    what: "gap",
  });
});

test("an export address is a link, not a request", () => {
  expect(httpClient(base).exportAddress("t", "csv", "ops")).toBe(`${base}api/trace/t/export?format=csv&table=ops`);
});
