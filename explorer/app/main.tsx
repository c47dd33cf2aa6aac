// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { followAddress } from "@/app/address";
import { followLayout } from "@/app/layout";
import { Shell } from "@/app/shell";
import { start } from "@/app/start";
import "@/base/theme";
import "@/app/style/tokens.css";
import "@/app/style/base.css";
import "@/app/style/shell.css";

const came = location.hash;
followAddress();
void followLayout();
void start(came);
const root = document.getElementById("app");
if (root) render(<Shell />, root);
