// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The client of the server that this page came from. Components take another one as a property where tests need it.
import { type Client, httpClient } from "@/engine/client";

export const server: Client = httpClient();
