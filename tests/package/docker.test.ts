// The Dockerfile, as far as it can be proven without a container engine: its words, its paths, its commands.
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProgramRun } from "../../packages/cli/src/testing/program-run.ts";
import { root } from "../repository/source-file.ts";
import { readStages, stepsOf, wordsOf, type DockerStage } from "./dockerfile.ts";
import { networkEnvironment, runCommand } from "./runtime.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const [build, image, ...others] = readStages(readFileSync(path.join(root, "Dockerfile"), "utf8")) as [
  DockerStage,
  DockerStage,
  ...DockerStage[],
];
const ignored = readFileSync(path.join(root, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** The text of the one step of its kind. */
function only(stage: DockerStage, instruction: string): string {
  const steps = stepsOf(stage, instruction);
  expect(steps).toHaveLength(1);
  return steps[0]?.text ?? "";
}

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-docker-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }), 120_000);
  return folder;
}

/** Whether a file of the repository is sent to the builder; patterns here are plain names and `**` before one. */
function isSent(file: string): boolean {
  return !ignored.some((pattern) => {
    const anywhere = pattern.startsWith("**/");
    const name = pattern
      .replace("**/", "")
      .replaceAll(".", String.raw`\.`)
      .replace("*", "[^/]*");
    return new RegExp(`${anywhere ? "(?:^|/)" : "^"}${name}(?:/|$)`).test(file);
  });
}

/** The status of an answer to headers that `fetch` would not send. */
async function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** The image's health check, against a host on another port. */
async function checkHealth(port: string): Promise<number | null> {
  const [health] = stepsOf(image, "HEALTHCHECK");
  const [command, ...words] = health === undefined ? [] : wordsOf(health);
  expect(command).toBe("node");
  const outcome = await runCommand(
    process.execPath,
    words.map((word) => word.replace("4747", port)),
    { cwd: root, environment: {} },
  );
  return outcome.exitCode;
}

describe("the Dockerfile", () => {
  it("[Y8] has two stages on one base, and what runs is tini, then the program, not as root", () => {
    expect(others).toEqual([]);
    expect(image.base).toBe(build.base);
    expect(image.base).toMatch(/^node:22-slim$/);
    const [entry] = stepsOf(image, "ENTRYPOINT");
    expect(entry && wordsOf(entry)).toEqual(["tini", "--", "holdfast"]);
    expect(only(image, "USER")).toBe("node");
    // After this nothing may be done as root any more.
    const steps = image.steps.map(({ instruction }) => instruction);
    expect(steps.lastIndexOf("RUN")).toBeLessThan(steps.indexOf("USER"));
    expect(only(image, "ENV")).toBe(`HOLDFAST_HOME=${only(image, "VOLUME")}`);
    expect(stepsOf(image, "RUN").at(-1)?.text).toContain(`-o node -g node -m 0700 ${only(image, "VOLUME")}`);
  });

  it("[Y8] copies only what is there, sent to the builder, or made by the first stage", () => {
    const made = stepsOf(build, "RUN")
      .map(({ text }) => text)
      .join("\n");
    for (const { options, text } of [...stepsOf(build, "COPY"), ...stepsOf(image, "COPY")]) {
      const [source = ""] = text.split(/\s+/);
      if (options["from"] === undefined) {
        expect(existsSync(path.join(root, source))).toBe(true);
        expect(isSent(source)).toBe(true);
      } else {
        expect(options["from"]).toBe(build.name);
        expect(made).toContain(source);
      }
    }
    for (const file of ["scripts/pack.mjs", "package-lock.json", "packages/web/src/main.tsx", "LICENSE"]) {
      expect(existsSync(path.join(root, file))).toBe(true);
      expect(isSent(file)).toBe(true);
    }
    for (const file of ["node_modules/ws/index.js", "packages/web/dist/page/index.html", ".git/config"]) {
      expect(isSent(file)).toBe(false);
    }
  });

  it("[Y9] its configuration serves clients that reach the container, by the token and no other name, and reports its health", async () => {
    const home = temporaryFolder();
    const [command] = stepsOf(image, "CMD");
    const words = (command ? wordsOf(command) : []).map((word) =>
      word.replace("/etc/holdfast", path.join(root, "packaging", "docker")),
    );
    expect(await checkHealth("1")).toBe(1);
    const run = new ProgramRun([...words, "--json", "--port", "0", "--home", home], { program: "main" });
    onTestFinished(async () => void (await run.stop("SIGKILL")));
    const { url, token } = await run.ready();
    // The address that the log shows is the one that a published port has on the machine.
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await checkHealth(new URL(url).port)).toBe(0);
    const agents = `${url}/sdk/acp/agents`;
    expect((await fetch(agents)).status).toBe(401);
    expect((await fetch(agents, { headers: { "x-api-key": token } })).status).toBe(200);
    expect(await statusOf(agents, { "x-api-key": token, host: "example.org" })).toBe(403);
  });

  it.each(isLong ? ["a scratch folder"] : [])(
    "[Y8] its first stage gives a program that runs, in %s",
    async () => {
      const folder = temporaryFolder();
      const tracked = await runCommand("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
        cwd: root,
        environment: process.env,
      });
      const files = tracked.stdout
        .trim()
        .split("\n")
        .filter((file) => isSent(file) && existsSync(path.join(root, file)));
      for (const file of files) cpSync(path.join(root, file), path.join(folder, "src", file));
      mkdirSync(path.join(folder, "home"));
      for (const { text } of stepsOf(build, "RUN")) {
        // The same words, with the scratch folder as the root of the system.
        const command = text.replaceAll(/(?<=\s)\/(?=out|opt)/g, `${folder}/`);
        const environment = {
          ...networkEnvironment(),
          PATH: process.env["PATH"],
          HOME: path.join(folder, "home"),
        };
        const cwd = path.join(folder, "src");
        const { exitCode, stderr } = await runCommand("sh", ["-ec", command], { cwd, environment });
        // Its output stands beside the code where they differ.
        expect({ exitCode, said: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, said: "" });
      }
      const program = path.join(folder, "opt", "holdfast", "node_modules", ".bin", "holdfast");
      const version = await runCommand(program, ["version", "--json"], {
        cwd: folder,
        environment: process.env,
      });
      expect(version).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("version") });
    },
    240_000,
  );
});
