// Runs the commands of the documents against the program itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../packages/cli/src/serve/config-file.ts";
import { readDocuments, root, type Block, type Document } from "./document.ts";
import { DocumentHost, type Ending } from "./document-host.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const documents = readDocuments();

/** Documents whose shell blocks run only in the long form: tests of the command line run the same commands. */
const longDocuments = new Set([
  "CONTRIBUTING.md",
  "docs/audit.md",
  "docs/debugging.md",
  "docs/limits.md",
  "docs/operations.md",
]);
/** Documents whose blocks take the host for a new one, but do not disturb each other: they share a second one. */
const documentsOfSecondHost = new Set(["docs/changes.md", "docs/from-tmux.md"]);

/** A block that is run, with what the document says it prints. */
interface Run {
  readonly block: Block;
  readonly name: string;
  readonly prints: string | undefined;
}

function runsOf({ blocks }: Document, languages: readonly string[]): Run[] {
  return blocks.flatMap((block, index) => {
    if (block.mark?.kind !== "run" || !languages.includes(block.language)) return [];
    const next = blocks[index + 1];
    return [{ block, name: block.mark.name, prints: next?.mark?.kind === "prints" ? next.code : undefined }];
  });
}

function having(languages: readonly string[]): [path: string, runs: Run[]][] {
  return documents
    .map((document): [string, Run[]] => [document.path, runsOf(document, languages)])
    .filter(([, runs]) => runs.length > 0);
}

/** The line before what a block printed. */
function lineBefore(name: string): string {
  return `@@ ${name} @@`;
}

/** What each block printed, by its name. */
function outputsOf(output: string): Map<string, string> {
  const pieces = output.split(/^@@ (.*) @@$/m);
  return new Map(pieces.flatMap((name, index) => (index % 2 === 1 ? [[name, pieces[index + 1] ?? ""]] : [])));
}

/** The lines of a document that were printed, in their order: `…` stands for anything, a line of it for any lines. */
function expectPrinted(printed: string, expected: string): void {
  const pattern = expected
    .split("\n")
    .map((line) => line.trimEnd())
    .map((line) => (line === "…" ? "[^]*?" : `^\\s*${line.split("…").map(escape).join(".*")}\\s*$`))
    .join("[^]*?");
  expect(printed).toMatch(new RegExp(pattern, "m"));
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll(/ +/g, " +");
}

let sharedHost: DocumentHost;

beforeAll(async () => {
  sharedHost = await DocumentHost.start();
});
afterAll(() => sharedHost.close());

describe("[Y23] shell blocks", () => {
  // The README has a separate, stricter test.
  const documentsWithCommands = having(["sh"]).filter(
    ([file]) => file !== "README.md" && (isLong || !longDocuments.has(file)),
  );

  let secondHost: DocumentHost | undefined;

  afterAll(() => secondHost?.close());

  /** The blocks of documents for the long form stop their host, or take it for a new one. */
  async function hostFor(file: string): Promise<DocumentHost> {
    if (longDocuments.has(file)) return DocumentHost.start();
    if (!documentsOfSecondHost.has(file)) return sharedHost;
    return (secondHost ??= await DocumentHost.start());
  }

  it.each(documentsWithCommands)(
    "[Y23] %s: they run one after another, and print what is said",
    { timeout: 120_000 },
    async (file, runs) => {
      const host = await hostFor(file);
      const folder = path.join(host.folder, "documents", file);
      mkdirSync(folder, { recursive: true });
      try {
        const script = runs
          .map(({ name, block }) => `printf '\\n${lineBefore(name)}\\n'\n${block.code}\n`)
          .join("\n");
        const { exitCode, output } = await host.runShell(`cd '${folder}'\n${script}`);
        expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
        const outputs = outputsOf(output);
        for (const { name, prints } of runs) {
          if (prints !== undefined) expectPrinted(outputs.get(name) ?? "", prints);
        }
      } finally {
        if (longDocuments.has(file)) await host.close();
      }
    },
  );
});

describe("[Y24] modules in documents", () => {
  const modules = having(["ts", "js"]);
  let problems: string;
  /** How the process of each module ended, and what the module printed. */
  const endings = new Map<string, Ending>();

  beforeAll(async () => {
    const host = sharedHost;
    const keyBlock = having(["sh"])
      .flatMap(([, runs]) => runs)
      .find(({ name }) => name === "realtimex-key");
    await host.learn("RTX_API_KEY", keyBlock?.block.code ?? "");
    for (const [, runs] of modules) {
      for (const { name, block } of runs) {
        writeFileSync(path.join(host.folder, `${name}.${block.language}`), `${block.code}\nexport {};\n`);
      }
    }
    const compilerOptions = {
      strict: true,
      target: "es2023",
      module: "nodenext",
      types: ["node"],
      allowJs: true,
      checkJs: true,
      skipLibCheck: true,
      outDir: "compiled",
    };
    writeFileSync(
      path.join(host.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["*.ts", "*.js"] }),
    );
    const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
    problems = (await host.run(process.execPath, [compiler, "-p", host.folder])).output;
    const runs = modules.flatMap(([, each]) => each);
    // A module that awaits nothing is loaded before it is done: its output would mix with that of the next.
    const awaiting = runs.filter(({ block }) => /\bawait\b/.test(block.code));
    await runModules(awaiting);
    for (const run of runs) if (!awaiting.includes(run)) await runModules([run]);
  }, 120_000);

  /** Runs modules in one process, whose start takes most of their CPU time; it ends when all have closed what they opened. */
  async function runModules(runs: readonly Run[]): Promise<void> {
    const lines = runs.map(
      ({ name }) => `console.log("\\n${lineBefore(name)}");\nawait import("./compiled/${name}.js");`,
    );
    writeFileSync(path.join(sharedHost.folder, "modules.mjs"), lines.join("\n"));
    const { exitCode, output } = await sharedHost.run(process.execPath, ["modules.mjs"]);
    const outputs = outputsOf(output);
    for (const { name } of runs) endings.set(name, { exitCode, output: outputs.get(name) ?? output });
  }

  it("[Y24] the compiler has nothing to say of them", () => {
    expect(problems).toBe("");
  });

  it.each(modules.flatMap(([file, runs]) => runs.map((run) => [file, run.name, run] as const)))(
    "[Y24] %s: %s runs, and prints what is said",
    (_file, name, { prints }) => {
      const { exitCode, output = "" } = endings.get(name) ?? {};
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      if (prints !== undefined) expectPrinted(output, prints);
    },
  );
});

describe("[Y25] configurations in documents", () => {
  it.each(having(["jsonc"]))("[Y25] %s: the program takes them", (_path, runs) => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-document-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const { name, block } of runs) {
      const file = path.join(folder, `${name}.jsonc`);
      writeFileSync(file, block.code);
      expect(loadConfig(folder, file)).toHaveProperty("listen");
    }
  });
});
