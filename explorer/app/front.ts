// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which trace is in front, which of them Compare has, and how one comes and goes.
import { fresh } from "@/base/front";
import { page, traceIds } from "@/base/view";
import type { TraceId } from "@/engine/api";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";

export function compareThese(ids: TraceId[]): void {
  if (traceIds.value[0] !== ids[0]) fresh();
  traceIds.value = ids;
  page.value = "compare";
}

export async function closeTrace(id: TraceId): Promise<void> {
  await server.close(id);
  if (traceIds.value[0] === id) fresh();
  traceIds.value = traceIds.value.filter((other) => other !== id);
  if (traceIds.value.length === 0) page.value = "home";
  await opened.refresh();
}
