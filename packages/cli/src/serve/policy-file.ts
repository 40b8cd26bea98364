// The policy file of a home: read at the start, and again before a decision when it changed.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Log } from "@holdfast/core";
import { type CurrentPolicy, policyOf, type PolicySource, ruleSetsOf } from "@holdfast/core/policy";
import { type Config, type PolicyFile, problemSentence, readPolicy } from "@holdfast/protocol";
import { StartError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { readJsonc } from "./jsonc.ts";

const POLICY_FILE = "policy.jsonc";

/** The file's rules, or what is wrong with it. */
export type PolicyReading =
  | { readonly state: "absent" }
  | { readonly state: "read"; readonly file: PolicyFile }
  | { readonly state: "broken"; readonly problems: readonly string[] };

/** The file that the configuration names, else `policy.jsonc` in the home. */
export function policyPath(home: string, { policy }: Pick<Config, "policy">): string {
  return path.resolve(home, policy ?? POLICY_FILE);
}

/** Reads a policy file; never throws. */
export function readPolicyFile(file: string): PolicyReading {
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT"
      ? { state: "absent" }
      : { state: "broken", problems: [`it cannot be read (${code ?? String(error)})`] };
  }
  const parsed = readJsonc(text);
  if (!parsed.ok) return { state: "broken", problems: parsed.problems };
  const checked = readPolicy(parsed.value);
  if (checked.ok) return { state: "read", file: checked.value };
  return {
    state: "broken",
    problems: checked.problems.map((problem) => problemSentence(problem, "The policy")),
  };
}

/** The error for a policy that must not be ignored. */
function brokenPolicy(file: string, problems: readonly string[]): StartError {
  const lines = [`The policy ${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)];
  return new StartError(EXIT_CODES.setup, lines.join("\n"));
}

/** The rules for a host that starts. Throws if the file cannot be used, or is named by the configuration and missing. */
export function readRules(file: string, isNamed: boolean): CurrentPolicy {
  const reading = readPolicyFile(file);
  if (reading.state === "broken") throw brokenPolicy(file, reading.problems);
  if (reading.state === "absent" && isNamed) throw brokenPolicy(file, ["it does not exist"]);
  return reading.state === "read" ? rulesIn(file, reading.file) : { policy: undefined, file };
}

/** The rules of a running host. A change that cannot be used leaves the last good rules in force. */
export class PolicyFileSource implements PolicySource {
  readonly #file: string;
  readonly #log: Log;
  #current: CurrentPolicy;
  #stamp: string;

  /** Throws as `readRules` does. */
  constructor(file: string, isNamed: boolean, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#stamp = stampOf(file);
    this.#current = readRules(file, isNamed);
  }

  /** One look at the file's times; it is read only after a change. */
  current(): CurrentPolicy {
    const stamp = stampOf(this.#file);
    if (stamp === this.#stamp) return this.#current;
    this.#stamp = stamp;
    const reading = readPolicyFile(this.#file);
    if (reading.state === "read") {
      this.#current = rulesIn(this.#file, reading.file);
      this.#log("info", `The policy ${this.#file} was read again`, {});
      return this.#current;
    }
    const problems = reading.state === "absent" ? ["it was removed"] : reading.problems;
    // Rules that were in force stay so until the next start.
    if (reading.state === "broken" || this.#current.policy !== undefined) {
      const problem = `The policy ${this.#file} cannot be used: ${problems.join("; ")}`;
      this.#current = { ...this.#current, problem };
      this.#log("error", `${problem}. The rules before the change stay in force`, {});
    }
    return this.#current;
  }
}

function rulesIn(file: string, rules: PolicyFile): CurrentPolicy {
  const source = path.basename(file);
  return { policy: policyOf(rules, source), sets: ruleSetsOf(rules, source), file };
}

/** Differs after every change, also after a rename over the file. */
function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.ctimeNs} ${found.size}`;
}
