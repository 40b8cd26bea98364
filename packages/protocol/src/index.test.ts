// The package's boundary: it runs in a browser as it does in Node.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL(".", import.meta.url);

describe("the package", () => {
  it("[P33] imports nothing but zod, the model and its own files, and its compiler knows neither Node nor a page", () => {
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const specifiers = sources.flatMap((name) =>
      [...readFileSync(new URL(name, folder), "utf8").matchAll(/\bfrom "([^"]+)"/g)].map(
        (match) => match[1] ?? "",
      ),
    );
    expect(specifiers.length).toBeGreaterThan(20);
    const others = specifiers.filter((specifier) => !/^\.\.?\//.test(specifier));
    expect(new Set(others)).toEqual(new Set(["zod", "@holdfast/ahp"]));
    const tsconfig = readFileSync(new URL("../tsconfig.json", folder), "utf8");
    expect(tsconfig).toContain('"types": []');
    expect(tsconfig).toContain('"lib": ["es2023"]');
  });
});
