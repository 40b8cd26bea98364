// A throw-away workspace with this repository's scripts, one package, and an npm that only links what is installed here.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./source-file.ts";

/** Output and exit code of a script. */
export interface ScriptOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Its `npm ci` needs no network: it notes how it was called and links the real packages. */
const npmProgram = `
import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
console.log("npm says something on stdout");
if (process.env.NPM_FAILS) process.exit(7);
mkdirSync("node_modules", { recursive: true });
for (const name of ["typescript", "@types", "vitest"]) {
  try {
    symlinkSync(${JSON.stringify(root)} + "/node_modules/" + name, "node_modules/" + name);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}
`;

const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ type: "module" }),
  "package-lock.json": JSON.stringify({ lockfileVersion: 3 }),
  "npm/npm-cli.js": npmProgram,
  "packages/part/package.json": JSON.stringify({ name: "@holdfast/part", type: "module" }),
  "packages/part/src/index.ts": "export const greeting: string = 'hello';\n",
  "packages/part/src/spare.ts": "export const spare = 1;\n",
  "packages/cli/dist/main.js": `
    import { greeting } from "../../part/dist/index.js";
    console.log(JSON.stringify([greeting, ...process.argv.slice(2)]));
  `,
};

/** The workspace in a folder below the system's temporary one. */
export class SmallWorkspace {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-workspace-")));

  /** Absent a model that it copies, nothing is installed and built in it. */
  constructor(model?: SmallWorkspace) {
    if (model !== undefined) {
      // Node's own copy cuts the times of files to milliseconds, by which the build would see changes.
      execFileSync("cp", ["-a", `${model.folder}/.`, this.folder]);
      return;
    }
    cpSync(path.join(root, "scripts"), path.join(this.folder, "scripts"), { recursive: true });
    cpSync(path.join(root, "tsconfig.base.json"), path.join(this.folder, "tsconfig.base.json"));
    for (const [file, text] of Object.entries(files)) this.write(file, text);
    const tsconfig = path.join("packages", "terminal", "tsconfig.json");
    cpSync(path.join(root, tsconfig), path.join(this.folder, "packages", "part", "tsconfig.json"));
  }

  write(file: string, text: string): void {
    const target = path.join(this.folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }

  remove(file: string): void {
    rmSync(path.join(this.folder, file), { recursive: true });
  }

  /** The command lines that npm got so far. */
  npmCalls(): string[] {
    return readFileSync(path.join(this.folder, "npm-calls"), "utf8").trim().split("\n");
  }

  /** Runs a script to its end, with a separate environment. */
  async run(
    script: string,
    options: { arguments?: string[]; nodeOptions?: string[]; env?: Record<string, string> } = {},
  ): Promise<ScriptOutcome> {
    const scriptPath = path.join(this.folder, "scripts", script);
    const command = [...(options.nodeOptions ?? []), scriptPath, ...(options.arguments ?? [])];
    const child = spawn(process.execPath, command, {
      cwd: this.folder,
      env: {
        PATH: process.env["PATH"],
        HOME: this.folder,
        npm_execpath: path.join(this.folder, "npm", "npm-cli.js"),
        ...options.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { exitCode, stdout, stderr };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
