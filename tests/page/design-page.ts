// The page of the design system, built and served for a test.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const web = fileURLToPath(new URL("../../packages/web/", import.meta.url));
const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
};

export interface DesignPage {
  readonly url: string;
  close(): void;
}

/** Builds it into a new folder and serves it on this machine alone. */
export async function openDesignPage(): Promise<DesignPage> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-design-"));
  await build({
    configFile: path.join(web, "vite.config.ts"),
    logLevel: "error",
    build: { outDir: folder, rolldownOptions: { input: path.join(web, "design.html") } },
  });
  const server = createServer(({ url: address = "/" }, response) => {
    const name = address === "/" ? "design.html" : address.slice(1);
    response.setHeader("content-type", contentTypes[path.extname(name)] ?? "text/plain");
    response.end(name.startsWith("favicon") ? "" : readFileSync(path.join(folder, name)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
