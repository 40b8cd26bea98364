// `run` when the host dies: the message about the lost connection, and the session's name at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readHostFile } from "../serve/host-file.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { say, ScriptedHost } from "../testing/scripted-host.ts";

/** The attempts to reconnect take up to 30 s. */
const timeoutMs = 90_000;

it(
  "[C512] run reports a lost connection at once, and at the end names the session",
  { timeout: timeoutMs },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-lost-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const host = await ScriptedHost.start(folder, { prompts: { hang: [say("Thinking"), { do: "hang" }] } });
    onTestFinished(() => host.close());
    // A host that is named by its address is not started again (C863).
    const { url = "" } = readHostFile(host.home) ?? {};
    const words = ["run", "scripted", "hang", "--home", host.home, "--url", url];
    const run = new ProgramRun(words, { program: "main" });
    onTestFinished(async () => void (await run.stop("SIGKILL")));
    await run.until(({ stdout }) => (stdout.includes("Thinking") ? stdout : undefined));
    const [session] = await host.api.acpAgent.listSessions();
    await host.kill();
    await run.until(({ stderr }) =>
      stderr === "holdfast: Connection lost. Reconnecting…\n" ? stderr : undefined,
    );
    // The attempts take half a minute, in which nothing happens.
    if (process.env["HOLDFAST_LONG"] === undefined) return;
    expect(await run.end()).toMatchObject({ code: 4 });
    expect(run.stderr).toBe(
      "holdfast: Connection lost. Reconnecting…\n" +
        "holdfast: Lost the connection to the host; 10 reconnection attempts failed. (STREAM_BROKEN)\n" +
        `  The turn may continue: \`holdfast chat ${session?.session_key.slice(-36, -28)}\` shows it.\n`,
    );
  },
);
