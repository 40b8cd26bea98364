// The package's boundary: it runs in a browser as it does in Node.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

describe("the package", () => {
  it("[J23] imports nothing but its own files, and its compiler knows neither Node nor a page", () => {
    const sources = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    const specifiers = sources.flatMap((name) =>
      [...readFileSync(folder + name, "utf8").matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(
        (match) => match[1] ?? match[2] ?? "",
      ),
    );
    expect(specifiers.length).toBeGreaterThan(20);
    expect(specifiers.filter((specifier) => !specifier.startsWith("./"))).toEqual([]);
    const tsconfig = readFileSync(new URL("../tsconfig.json", import.meta.url), "utf8");
    expect(tsconfig).toContain('"types": []');
    expect(tsconfig).toContain('"lib": ["es2023", "webworker"]');
  });
});
