// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the page share of the server's answers: its open traces and the tables asked for lately.
import { server } from "@/engine/server";
import { keptTables } from "@/engine/tables";
import { openedTraces } from "@/engine/traces";

export const opened = openedTraces(server);
export const tables = keptTables(server);
