// Sandboxes of the library: one for each session, refused where the machine has none.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { AcpTerminals, type AcpTerminalsOptions } from "./acp-terminals.ts";

guardLeaks();
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "acp-isolation-")));
const secrets = path.join(folder, "secrets");
mkdirSync(secrets);
writeFileSync(path.join(secrets, "key"), "the-key");
afterAll(() => rmSync(folder, { recursive: true }));

function serve(options: AcpTerminalsOptions): AcpTerminals {
  const terminals = new AcpTerminals({ environment: process.env, cwd: folder, ...options });
  onTestFinished(() => terminals.close());
  return terminals;
}

async function run(terminals: AcpTerminals, sessionId: string, command: string): Promise<string> {
  const { terminalId } = await terminals.createTerminal({ sessionId, command });
  await terminals.waitForTerminalExit({ sessionId, terminalId });
  const { output } = await terminals.terminalOutput({ sessionId, terminalId });
  return output;
}

describe.runIf(process.platform === "linux")("AcpTerminals with isolation", () => {
  it("[T653] runs the commands of a session in one sandbox, and those of another in another", async () => {
    const terminals = serve({ isolation: { level: "guard", hidden: [secrets] } });
    expect(await run(terminals, "one", `cat ${secrets}/key`)).toContain("No such file or directory");
    const left = await run(terminals, "one", "sleep 1000 > /dev/null 2>&1 & echo $!");
    expect(await run(terminals, "one", `kill -0 ${left.trim()} && echo there`)).toBe("there\n");
    expect(await run(terminals, "two", `kill -0 ${left.trim()} && echo there`)).not.toContain("there");
    await terminals.closeSession("one");
  });

  it("[T653] refuses commands where the machine has no backend, unless the sandbox is optional", async () => {
    vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", "nothing");
    const strict = serve({ isolation: { level: "guard" } });
    const lax = serve({ isolation: { level: "guard", isOptional: true } });
    vi.unstubAllEnvs();
    await expect(run(strict, "one", "true")).rejects.toMatchObject({ code: "not_supported" });
    expect(await run(lax, "one", "echo runs")).toBe("runs\n");
  });

  it("[T649] under workspace changes only what is writable", async () => {
    const work = path.join(folder, "work");
    mkdirSync(work);
    const terminals = serve({ isolation: { level: "workspace", writable: [work], hidden: [secrets] } });
    const line = `echo made > ${work}/file; echo no > ${folder}/file; cat ${secrets}/key; cat ${work}/file`;
    const output = await run(terminals, "one", `(${line}) 2>&1`);
    expect(output).toContain("made\n");
    expect(output).not.toContain("the-key");
    expect(output).toMatch(/(?:Read-only file system|Permission denied)/);
  });
});
