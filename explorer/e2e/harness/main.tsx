// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline without the rest of the page, for measurements and pictures: `#trace=ID` of the server it came from, or
// `#made=SLICES` for lanes made here.
import { render } from "preact";
import "@/app/style/tokens.css";
import * as view from "@/base/view";
import { server } from "@/engine/server";
import { Timeline } from "@/timeline/timeline";
import { madeServer } from "./made";

const asked = new URLSearchParams(location.hash.slice(1));
document.documentElement.dataset.theme = asked.get("theme") ?? "light";
Object.assign(window, { view });
const root = document.getElementById("app");
const made = asked.get("made");
const trace = asked.get("trace") ?? (made ? "made" : ((await server.home()).traces[0]?.id ?? ""));
if (root) render(<Timeline trace={trace} client={made ? madeServer(Number(made)).client() : server} />, root);
