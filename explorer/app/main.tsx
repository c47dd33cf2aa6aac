// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { followAddress } from "@/app/address";
import { followLayout } from "@/app/layout";
import { Shell } from "@/app/shell";
import { opened } from "@/engine/opened";
import "@/base/theme";
import "@/app/style/tokens.css";
import "@/app/style/base.css";
import "@/app/style/shell.css";

followAddress();
void followLayout();
void opened.refresh();
const root = document.getElementById("app");
if (root) render(<Shell />, root);
