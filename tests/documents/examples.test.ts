// Every example is run here, against a real host.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { root } from "./document.ts";
import { DocumentHost } from "./document-host.ts";

let host: DocumentHost;

beforeAll(async () => {
  host = await DocumentHost.start();
}, 120_000);
afterAll(() => host.close());

/** An example that runs until it is interrupted, and its output. */
class RunningExample {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #output = "";
  #onOutput = (): void => undefined;

  constructor(name: string, words: readonly string[] = []) {
    this.#child = host.spawn(process.execPath, [compiled(name), ...words]);
    this.#ended = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** Waits until it has said something. */
  async until(pattern: RegExp): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#onOutput = () => void (pattern.test(this.#output) && resolve());
      this.#onOutput();
      void this.#ended.then(() => reject(new Error(`It ended first: ${this.#output}`)));
    });
  }

  /** What Ctrl-C does; gives how it ended. */
  async interrupt(): Promise<unknown> {
    this.#child.kill("SIGINT");
    const [code] = await this.#ended;
    return code;
  }
}

function client(): Holdfast {
  return new Holdfast({ baseUrl: host.url, apiKey: host.token });
}

function example(name: string): string {
  return path.join(root, "examples", name);
}

/** An example without its types, which costs less than a loader in each process; the packages are compiled, as for users. */
function compiled(name: string): string {
  const file = path.join(host.folder, `${name}.mjs`);
  writeFileSync(file, transformSync(readFileSync(example(name), "utf8"), { loader: "ts" }).code);
  return file;
}

describe("[Y26] the examples", () => {
  it("[Y26] none is without a test", () => {
    expect(readdirSync(path.join(root, "examples")).toSorted()).toEqual([
      // Run by tests/acp-client.test.ts.
      "acp-client.ts",
      "ahp-watcher.ts",
      "curl.sh",
      "sdk-script.ts",
      "terminal-demo.mjs",
      "webhook-bot.ts",
    ]);
  });

  it("[Y26] sdk-script.ts streams a turn, answers its question, and reads its terminal", async () => {
    const words = [compiled("sdk-script.ts"), "echo from the sdk"];
    const { exitCode, output } = await host.run(process.execPath, words);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toMatch(/\[asks\] .*echo from the sdk/);
    expect(output).toContain("```\nfrom the sdk\n```");
    expect(output).toContain("[end_turn]");
    expect(output).toMatch(/\[terminal\] .*: 13 characters/);
  });

  it("[Y26] curl.sh goes from a session to its end", async () => {
    const { exitCode, output } = await host.run("sh", [example("curl.sh")]);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toContain("hello from curl");
    expect(output).toMatch(/1 event: done/);
    expect(output).toMatch(/1 "what":"command"/);
    expect(output.trimEnd()).toMatch(/\{"success":true\}$/);
  });

  it("[Y26] webhook-bot.ts is called, allows what fits its rule, refuses the rest, and hears of the end", async () => {
    const bot = new RunningExample("webhook-bot.ts");
    await bot.until(/listening on port \d+/);
    const { acpAgent, webhooks } = client();
    const { session_key: key } = await acpAgent.createSession({ agent_id: "shell", cwd: host.folder });
    let text = "";
    for await (const event of acpAgent.streamChat(key, "echo allowed\ntouch refused")) {
      if (event.type === "text_delta") text += event.data.text;
    }
    expect(text).toContain("```\nallowed\n```");
    await bot.until(/touch refused: reject_once[^]*turn_done \(complete\)/);
    expect(readdirSync(host.folder)).not.toContain("refused");
    await expect(refusedCall(await webhooks.list())).resolves.toBe(401);
    expect(await bot.interrupt()).toBe(0);
    expect(await webhooks.list()).toEqual([]);
  });

  it("[Y26] ahp-watcher.ts reports a session, its turn and its terminal as they happen", async () => {
    const watcher = new RunningExample("ahp-watcher.ts", [
      `${host.url.replace(/^http/, "ws")}/ahp`,
      host.token,
    ]);
    await watcher.until(/\[holdfast speaks 1\.\d+\.\d+\]/);
    const { acpAgent } = client();
    const session = await acpAgent.createSession({
      agent_id: "shell",
      cwd: host.folder,
      approvalPolicy: "approve-all",
    });
    await watcher.until(/shell: a session/);
    await acpAgent.chat(session.session_key, "echo seen by all");
    await watcher.until(/shell is asked: echo seen by all/);
    await watcher.until(/shows: seen by all[^]*is done: end_turn/);
    expect(await watcher.interrupt()).toBe(0);
  });

  it("[Y26] terminal-demo.mjs shows the engine at work", async () => {
    const { exitCode, output } = await host.run(process.execPath, [example("terminal-demo.mjs")]);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toContain("20 of 20 complete");
  });
});

/** The bot's response to a caller that does not know its secret. */
async function refusedCall([webhook]: readonly { readonly url: string }[]): Promise<number> {
  const headers = {
    "x-holdfast-timestamp": String(Math.floor(Date.now() / 1000)),
    "x-holdfast-signature": "v1=0",
  };
  const { status } = await fetch(webhook?.url ?? "", { method: "POST", headers, body: "{}" });
  return status;
}
