// Compiled code is kept where only its owner writes, and only where Node can keep it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "./testing/temporary-home.ts";

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const file = path.join(import.meta.dirname, "compile-cache.ts");

it("[Y6] it goes to the user's cache folder where Node can, and to none where it cannot", () => {
  const home = temporaryFolder();
  const script = `import { keepCompiledCode } from ${JSON.stringify(file)}; keepCompiledCode(); await import("node:url");`;
  const flags = ["--import", loader, "--conditions=@holdfast/source", "--input-type=module"];
  const { status, stderr } = spawnSync(process.execPath, [...flags, "-e", script], {
    env: { PATH: process.env["PATH"], HOME: home, XDG_CACHE_HOME: path.join(home, "cache") },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const folder = path.join(home, "cache", "holdfast", "compiled");
  expect(existsSync(folder)).toBe("enableCompileCache" in module);
});
