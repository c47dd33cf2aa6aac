// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The page once more, as one file: dist/report.html, into which `lanewise report` writes the answers. Scripts and styles stand
// inside, since a page opened from disk may load nothing; its own policy forbids any request.
import { fileURLToPath } from "node:url";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:";

const oneFile: Plugin = {
  name: "one-file",
  enforce: "post",
  generateBundle(_options, bundle) {
    const parts = Object.values(bundle);
    const scripts = parts.flatMap((part) => (part.type === "chunk" ? [part.code] : []));
    const styles = parts.flatMap((part) =>
      part.type === "asset" && part.fileName.endsWith(".css") ? [String(part.source)] : [],
    );
    if (scripts.length !== 1) this.error(`a report is one script, not ${scripts.length}`);
    const page = parts.find((part) => part.type === "asset" && part.fileName.endsWith(".html"));
    if (page?.type !== "asset") this.error("no page was built");
    const head = String(page.source)
      .replace(/<script[^>]*src=[^>]*><\/script>/g, "")
      .replace(/<link[^>]*rel="stylesheet"[^>]*>/g, "")
      .replace(/<link[^>]*rel="modulepreload"[^>]*>/g, "")
      .replace("<head>", () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
    // A replacement text has its own meaning of $, and the code holds many: functions have none.
    const html = head
      .replace("</head>", () => `<style>${styles.join("\n").replaceAll("</style", "<\\/style")}</style>\n  </head>`)
      .replace(
        "</body>",
        () =>
          `<!-- lanewise-report -->\n<script type="module">${(scripts[0] ?? "").replaceAll("</script", "<\\/script")}</script>\n  </body>`,
      );
    for (const name of Object.keys(bundle)) delete bundle[name];
    this.emitFile({ type: "asset", fileName: "report.html", source: html });
  },
};

export default defineConfig({
  root: "app",
  base: "./",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), oneFile],
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  build: {
    outDir: process.env.LANEWISE_EXPLORER_OUT ?? "../dist",
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
