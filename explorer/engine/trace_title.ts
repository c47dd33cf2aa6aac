// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a trace is called on the page. A capture lies in `VARIANT/i-HOST_pid_N/TIME`; its folder's name is a time, which tells
// nobody which variant it is.
import type { Trace } from "@/engine/api";

export function titleOf(trace: Pick<Trace, "name" | "path">): string {
  const parts = trace.path.split("/").filter((part) => part !== "");
  const host = parts.map((part) => /^i-[^/]*_pid_\d+$/.test(part)).lastIndexOf(true);
  const variant = host > 0 ? parts[host - 1] : undefined;
  return variant !== undefined && host >= parts.length - 2 ? `${variant} · ${trace.name}` : trace.name;
}
