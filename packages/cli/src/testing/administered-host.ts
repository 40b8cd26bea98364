// A real host for tests of the commands that look after it, and the commands run against it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, expect } from "vitest";
import { runWords, type CommandRun } from "./command-run.ts";
import { ProgramRun } from "./program-run.ts";

/** A host that commands are run against. */
export class AdministeredHost {
  readonly folder = mkdtempSync(path.join(tmpdir(), "holdfast-care-"));
  readonly home = path.join(this.folder, "home");
  readonly work = path.join(this.folder, "work");
  #host: ProgramRun | undefined;
  #api: Holdfast | undefined;
  url = "";

  get api(): Holdfast {
    if (this.#api === undefined) throw new Error("The host is not started");
    return this.#api;
  }

  async start(): Promise<void> {
    mkdirSync(this.work);
    this.#host = new ProgramRun(["--port", "0", "--home", this.home, "--json"], { program: "main" });
    const { url, token } = await this.#host.ready();
    this.url = url;
    this.#api = new Holdfast({ baseUrl: url, apiKey: token });
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command with this host's home. */
  run(...words: string[]): Promise<CommandRun> {
    return runWords([...words, "--home", this.home]);
  }

  /** The JSON that a command prints. */
  async read<Value>(...words: string[]): Promise<Value> {
    const { code, stdout, stderr } = await this.run(...words, "--json");
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
    return JSON.parse(stdout) as Value;
  }

  /** The error of a command that must fail. */
  async refused(...words: string[]): Promise<{ code: string; exitCode: number }> {
    const { code, stderr } = await this.run(...words);
    const { error } = JSON.parse(stderr) as { error: { code: string; exitCode: number; remedy: string } };
    expect(error.exitCode).toBe(code);
    return { code: error.code, exitCode: code };
  }
}

/** Starts a host before the tests of a file, and stops it after them. */
export function useAdministeredHost(): AdministeredHost {
  const host = new AdministeredHost();
  beforeAll(() => host.start(), 60_000);
  afterAll(() => host.stop());
  return host;
}
