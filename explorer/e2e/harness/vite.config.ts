// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds the timeline alone; no part of the page's own build.
import { fileURLToPath } from "node:url";
import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  resolve: { alias: { "@": fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "") } },
  build: { outDir: process.env.LANEWISE_EXPLORER_OUT ?? "dist", emptyOutDir: true, target: "es2022" },
});
