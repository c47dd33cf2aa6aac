// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the built page in a real browser against the real server: `npm run e2e`. They need LANEWISE (the binary), a build in
// dist/ and a Chromium (CHROMIUM, else /usr/bin/chromium).
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: { alias: { "@": fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "") } },
  test: {
    include: ["*.e2e.ts"],
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
