// The child of the fuzzer: runs one batch of a property for each seed it is sent, and writes down each input first.
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import fc from "fast-check";
import { Spawner } from "../../packages/terminal/src/process/index.ts";
import { checkCost, costlyPrograms } from "../../packages/terminal/src/testing/cost-property.ts";
import {
  type InputPiece,
  checkInput,
  inputKinds,
  inputPieces,
} from "../../packages/terminal/src/testing/input-property.ts";
import {
  checkPolicy,
  type PolicyCase,
  policyCases,
} from "../../packages/terminal/src/testing/policy-property.ts";
import { type ScreenProgram, screenPrograms } from "../../packages/terminal/src/testing/screen-programs.ts";
import { checkScreen } from "../../packages/terminal/src/testing/screen-property.ts";
import { shellLines } from "../../packages/terminal/src/testing/shell-lines.ts";
import { ShellOracle } from "../../packages/terminal/src/testing/shell-oracle.ts";
import { checkLine } from "../../packages/terminal/src/testing/shell-property.ts";

/** A batch to run. */
export interface FuzzOrder {
  readonly seed: number;
}

/** How a batch went. */
export interface BatchReport {
  readonly runs: number;
  /** The smallest input that was found to fail, and how. */
  readonly failure?: string;
}

const [property = "", inputFile = ""] = process.argv.slice(2);
const spawner = new Spawner();
let oracle: ShellOracle | undefined;

process.on("message", (order) => {
  void run(order as FuzzOrder).then((report) => process.send?.(report));
});

async function run({ seed }: FuzzOrder): Promise<BatchReport> {
  const details = await check(seed);
  if (!details.failed) return { runs: details.numRuns };
  const input = visible(details.counterexample);
  const { errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return {
    runs: details.numRuns,
    failure: `${reason}\nSmallest input after ${details.numShrinks} shrinks:\n${input}`,
  };
}

function check(seed: number) {
  switch (property) {
    case "screen":
      return fc.check(fc.property(screenPrograms(), tryScreen), { seed, numRuns: 100 });
    case "cost":
      return fc.check(fc.asyncProperty(costlyPrograms, tryCost), { seed, numRuns: 10 });
    case "shell":
      return fc.check(fc.asyncProperty(shellLines, tryLine), { seed, numRuns: 100 });
    case "policy":
      return fc.check(fc.property(policyCases, tryPolicy), { seed, numRuns: 1000 });
    default:
      return fc.check(fc.asyncProperty(fc.constantFrom(...inputKinds), inputPieces, tryInput), {
        seed,
        numRuns: 12,
      });
  }
}

function tryScreen(program: ScreenProgram): void {
  writeFileSync(inputFile, visible(program));
  checkScreen(program);
}

async function tryCost(program: string): Promise<void> {
  writeFileSync(inputFile, visible(program));
  await checkCost(program);
}

async function tryLine(line: string): Promise<void> {
  writeFileSync(inputFile, visible(line));
  // The fuzzer removes the folder that holds it.
  oracle ??= new ShellOracle(path.dirname(inputFile));
  await checkLine(oracle, line);
}

function tryPolicy(tried: PolicyCase): void {
  writeFileSync(inputFile, visible(tried));
  checkPolicy(tried);
}

async function tryInput(kind: (typeof inputKinds)[number], pieces: InputPiece[]): Promise<void> {
  writeFileSync(inputFile, visible({ kind, pieces }));
  await checkInput(spawner, kind, pieces);
}

/** JSON in ASCII; bytes as hexadecimal digits. */
function visible(value: unknown): string {
  const json = JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each).toString("hex") : each,
  );
  return json.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
