// The policy file: what may stand in it, and the schema that editors read.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { policyJsonSchema, readPolicy } from "./policy.ts";
import { problemSentence } from "./schema.ts";

const schemaFile = new URL("../policy.schema.json", import.meta.url);

function sentences(value: unknown): string[] {
  const read = readPolicy(value);
  return read.ok ? [] : read.problems.map((problem) => problemSentence(problem, "The policy"));
}

describe("policy file", () => {
  it("[P685] an empty file is a policy without rules", () => {
    expect(readPolicy({})).toEqual({ ok: true, value: { deny: [], ask: [], allow: [], rules: [] } });
  });

  it.each([
    [{ rules: [{ effect: "forbid" }] }, 'rules[0].effect must be one of "allow", "ask", "deny"'],
    [{ rules: [{ effect: "deny", comand: "a" }] }, /^rules\[0\] has no member "comand"; it has: id, effect/],
    [{ preset: "all" }, /^preset must be one of "ask", "reads"/],
    [{ deny: "rm" }, "deny must be an array, not a string"],
    [{ rules: [{ effect: "deny", textLike: "(" }] }, "rules[0].textLike must be a regular expression"],
    [{ rules: [{ effect: "deny", paths: "src/**" }] }, /^rules\[0\]\.paths/],
    [[], "The policy must be an object, not an array"],
  ])("[P685] a mistake is named by its path: case %#", (value, sentence) => {
    expect(sentences(value)).toEqual([
      typeof sentence === "string" ? sentence : (expect.stringMatching(sentence) as string),
    ]);
  });

  it("[P686] policy.schema.json is up to date; HOLDFAST_WRITE_SCHEMA=1 on this test regenerates it", () => {
    if (process.env["HOLDFAST_WRITE_SCHEMA"] === "1") {
      writeFileSync(schemaFile, `${JSON.stringify(policyJsonSchema(), undefined, 2)}\n`);
    }
    expect(JSON.parse(readFileSync(schemaFile, "utf8"))).toEqual(
      JSON.parse(JSON.stringify(policyJsonSchema())),
    );
  });
});
