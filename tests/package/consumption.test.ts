// The libraries as others use them: installed from their tarballs into an empty folder, loaded in every usual way.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../repository/source-file.ts";
import { npmEnvironment } from "../setup/certificates.ts";
import { packLibraries } from "../../scripts/pack.mjs";
import { type CommandOutcome, runCommand } from "./runtime.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "holdfast-consumption-"));
const project = path.join(scratch, "project");

/** Runs a text and a tty command, and prints what came out. */
const terminalProgram = `
const engine = new TerminalEngine({ environment: process.env });
const kinds = process.argv[2] === "text" ? ["text"] : ["text", "tty"];
for (const kind of kinds) {
  const terminal = await engine.open({ command: "echo", args: ["from", kind], kind });
  await terminal.exited;
  console.log(JSON.stringify(terminal.output.tail().output));
}
await engine.close();
`;

/** Reaches for a host that is not there: the client works, and says so. */
const sdkProgram = `
const { acpAgent } = new Holdfast({ baseUrl: "http://127.0.0.1:9", apiKey: "none", retry: { attempts: 0 } });
await acpAgent.listAgents().catch((error) => console.log(error.code));
`;

const terminalPrints = '"from text\\n"\n"from tty\\n"\n';
const sdkPrints = "CONNECTION_FAILED\n";

function asCommonJs(names: string, from: string, program: string): string {
  return `const { ${names} } = require("${from}");\n(async () => {${program}})();\n`;
}

function asModule(names: string, from: string, program: string): string {
  return `import { ${names} } from "${from}";\n${program}`;
}

function write(file: string, text: string): string {
  const whole = path.join(project, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

async function run(file: string, ...args: string[]): Promise<CommandOutcome> {
  return runCommand(process.execPath, [file, ...args], { cwd: path.dirname(file), environment: process.env });
}

async function expectSuccess(outcome: Promise<CommandOutcome>, stdout: string): Promise<void> {
  expect(await outcome).toMatchObject({ exitCode: 0, stdout, stderr: "" });
}

beforeAll(async () => {
  const packed = await packLibraries(scratch, ["sdk", "terminal"]);
  write("package.json", '{ "name": "project", "private": true }');
  const tarballs = packed.map(({ file }) => file);
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...tarballs];
  const installed = await runCommand("npm", install, { cwd: project, environment: npmEnvironment() });
  if (installed.exitCode !== 0) throw new Error(installed.stderr);
}, 180_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("[Y360] the installed tarballs", () => {
  it("[Y360] bring no package but what they use", () => {
    const installed = readdirSync(path.join(project, "node_modules"), { encoding: "utf8" });
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["@holdfast", "@lydell", "@xterm"]);
    expect(readdirSync(path.join(project, "node_modules", "@holdfast"))).toEqual(["sdk", "terminal"]);
    const manifest = JSON.parse(
      readFileSync(path.join(project, "node_modules", "@holdfast", "sdk", "package.json"), "utf8"),
    ) as object;
    expect(manifest).not.toHaveProperty("dependencies");
  });

  it("[Y360] run as ES modules", async () => {
    await expectSuccess(
      run(write("terminal.mjs", asModule("TerminalEngine", "@holdfast/terminal", terminalProgram))),
      terminalPrints,
    );
    await expectSuccess(run(write("sdk.mjs", asModule("Holdfast", "@holdfast/sdk", sdkProgram))), sdkPrints);
  });

  it("[Y360] run by require", async () => {
    const terminal = write(
      "terminal.cjs",
      asCommonJs("TerminalEngine", "@holdfast/terminal", terminalProgram),
    );
    const sdk = write("sdk.cjs", asCommonJs("Holdfast", "@holdfast/sdk", sdkProgram));
    // Node 20 warns that it loads an ES module by require.
    expect(await run(terminal)).toMatchObject({ exitCode: 0, stdout: terminalPrints });
    expect(await run(sdk)).toMatchObject({ exitCode: 0, stdout: sdkPrints });
  });

  it.each(["nodenext", "bundler"])("[Y360] have types for TypeScript's %s resolution", async (resolution) => {
    const folder = `types-${resolution}`;
    write(
      `${folder}/program.ts`,
      `import { Holdfast, type AcpStreamEvent } from "@holdfast/sdk";
import { AcpTerminals } from "@holdfast/terminal/acp";
import { TerminalEngine, type RunLimits } from "@holdfast/terminal";
export const limits: RunLimits = { wallClockMs: 1000 };
export const engine = new TerminalEngine({ limits });
export const terminals = new AcpTerminals({ limits });
export async function text(client: Holdfast): Promise<string> {
  let text = "";
  for await (const event of client.acpAgent.streamChat("key", "hi")) {
    if (event.type === "text_delta" && event.data.stream === "output") text += event.data.text;
    // @ts-expect-error: every event's type is known, so this name is not one.
    if (event.type === "no_such_event") text += "";
  }
  return text;
}
export const last: AcpStreamEvent["type"] = "close";
`,
    );
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module,
      moduleResolution: resolution,
      target: "es2023",
    };
    const types = { types: ["node"], typeRoots: [path.join(root, "node_modules", "@types")] };
    write(
      `${folder}/tsconfig.json`,
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...types, skipLibCheck: false } }),
    );
    const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
    await expectSuccess(run(compiler, "-p", path.join(project, folder)), "");
  });

  it.each(["esm", "cjs"] as const)("[Y360] run from an esbuild bundle as %s", async (format) => {
    const ending = format === "esm" ? "mjs" : "cjs";
    const program = format === "esm" ? terminalProgram : `(async () => {${terminalProgram}})();`;
    const bundle = async (name: string, text: string, into: string): Promise<string> => {
      const outfile = path.join(project, into, `${name}.${ending}`);
      await build({
        entryPoints: [write(`${name}-${format}.js`, text)],
        outfile,
        bundle: true,
        platform: "node",
        format,
        logLevel: "silent",
      });
      return outfile;
    };
    const terminal = `import { TerminalEngine } from "@holdfast/terminal";\n${program}`;
    await expectSuccess(run(await bundle("bundled-terminal", terminal, "out")), terminalPrints);
    const sdkText = format === "esm" ? sdkProgram : `(async () => {${sdkProgram}})();`;
    const sdk = `import { Holdfast } from "@holdfast/sdk";\n${sdkText}`;
    await expectSuccess(run(await bundle("bundled-sdk", sdk, "out")), sdkPrints);
    // Alone in a folder, without any package beside it.
    const alone = await bundle("alone", terminal, `../alone-${format}`);
    await expectSuccess(run(alone, "text"), '"from text\\n"\n');
    expect(await run(alone)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("need the package @lydell/node-pty") as string,
    });
  });
});
