// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The page is built into one folder of static files that the server hands out; addresses are relative, so that it works under
// any path prefix. Tests run in the same configuration.
import { fileURLToPath } from "node:url";
import preact from "@preact/preset-vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: "app",
  base: "./",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  build: {
    outDir: process.env.LANEWISE_EXPLORER_OUT ?? "../dist",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
  },
  test: {
    root: ".",
    include: ["{base,engine,widgets,timeline,plugins,app}/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    setupFiles: ["widgets/laid_out.ts"],
  },
});
