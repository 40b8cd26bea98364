// The policy file of a running host: changes, mistakes, and a start that does not ignore them.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { StartError } from "../command-error.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { PolicyFileSource } from "./policy-file.ts";

function effectOf(source: PolicyFileSource, line: string): string | undefined {
  const { policy } = source.current();
  return policy?.decide({ kind: "command", run: { line }, cwd: "/w", roots: ["/w"] }).effect;
}

describe("[V687] the policy file", () => {
  it("[V687] a change applies from the next decision; a broken one keeps the rules and is reported", () => {
    const file = path.join(temporaryFolder(), "policy.jsonc");
    const logged: string[] = [];
    writeFileSync(file, `{"deny": ["rm **"]}`);
    const source = new PolicyFileSource(file, false, (level, message) => logged.push(`${level} ${message}`));
    expect(effectOf(source, "rm a")).toBe("deny");

    writeFileSync(`${file}.new`, `{"deny": ["mv **"]} // another`);
    renameSync(`${file}.new`, file);
    expect([effectOf(source, "rm a"), effectOf(source, "mv a b")]).toEqual([undefined, "deny"]);

    writeFileSync(file, `{"deny": ["rm **"`);
    expect(effectOf(source, "mv a b")).toBe("deny");
    expect(source.current().problem).toContain("line 1");
    expect(logged.filter((line) => line.startsWith("error"))).toHaveLength(1);

    rmSync(file);
    expect(effectOf(source, "mv a b")).toBe("deny");
    expect(source.current().problem).toContain("it was removed");

    writeFileSync(file, `{}`);
    expect(source.current().problem).toBeUndefined();
    expect(effectOf(source, "mv a b")).toBeUndefined();
  });

  it("[V687] a host does not start with a broken file, nor without one that the configuration names", () => {
    const file = path.join(temporaryFolder(), "policy.jsonc");
    const open = (isNamed: boolean) => () => new PolicyFileSource(file, isNamed, () => {});
    expect(open(false)().current()).toEqual({ policy: undefined, file });
    expect(open(true)).toThrow(StartError);
    writeFileSync(file, `{"rules": [{"effect": "maybe"}]}`);
    expect(open(false)).toThrow(/rules\[0\]\.effect must be one of/);
  });

  it("[V687] a file that appears later is read", () => {
    const file = path.join(temporaryFolder(), "policy.jsonc");
    const source = new PolicyFileSource(file, false, () => {});
    writeFileSync(file, `{"deny": ["rm **"]}`);
    expect(effectOf(source, "rm a")).toBe("deny");
  });
});
