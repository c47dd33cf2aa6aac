// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The client of the server that this page came from, or of the answers that a report holds. Components take another one as a
// property where tests need it.
import { type Client, httpClient } from "@/engine/client";
import { recordedClient, recordingIn } from "@/engine/recorded";

const recording = recordingIn(document);
// A report has no server: what needs one is not offered.
export const isReport = recording !== null;
export const server: Client = recording ? recordedClient(recording) : httpClient();
