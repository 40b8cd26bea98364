// The compiled `enter` program: the one that was built with the package, or one compiled here, once.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { enterSource } from "./enter-source.ts";
import { findSystemProgram, SYSTEM_PATH } from "./system-program.ts";

const compileMs = 20_000;

/** Another source is another program: an old file is never taken for a new one. */
const fileName = `enter-${createHash("sha256").update(enterSource).digest("hex").slice(0, 16)}-${process.arch}`;

/**
 * Its path; undefined where there is none and no compiler. Sandboxes must not reach the folder: the program runs
 * outside of them.
 */
export async function findEnterProgram(privateFolder: string): Promise<string | undefined> {
  const built = builtProgram();
  if (built !== undefined) return built;
  const file = join(privateFolder, fileName);
  if (existsSync(file)) return file;
  const compiler = ["cc", "gcc", "clang"].map(findSystemProgram).find((each) => each !== undefined);
  if (compiler === undefined || process.platform !== "linux") return undefined;
  return (await compileEnterProgram(compiler, privateFolder)) ? file : undefined;
}

/** Built with the package, beside the spawn helper's own program. */
function builtProgram(): string | undefined {
  const [, script] = process.argv;
  if (script === undefined) return undefined;
  const file = resolve(script, "../../../sandbox", fileName);
  return existsSync(file) ? file : undefined;
}

/** Compiles it into a folder; false when the compiler cannot. */
async function compileEnterProgram(compiler: string, folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(folder, "compile-"));
  try {
    const source = join(work, "enter.c");
    const output = join(work, "enter");
    writeFileSync(source, enterSource);
    // It starts an assembler and a linker, and passes them files.
    const env = { PATH: SYSTEM_PATH, TMPDIR: work };
    const compile = (...options: string[]) =>
      promisify(execFile)(compiler, ["-O2", ...options, "-o", output, source], { timeout: compileMs, env });
    // Static where the machine can: it starts faster, and nothing is loaded into it.
    await compile("-static").catch(() => compile());
    chmodSync(output, 0o755);
    renameSync(output, join(folder, fileName));
    return true;
  } catch {
    // No C library to compile with, or a folder that cannot be written to: the machine's own tools do it.
    return false;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
