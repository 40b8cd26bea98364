// A repository, and a scripted agent that changes it: the scene of the walks through review and search.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ask, say, type Step } from "../../packages/core/src/testing/script.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

export interface ReviewScene extends ScriptedHost {
  /** The page's address, which signs in. */
  readonly url: string;
  readonly repository: string;
  /** Runs git in the repository. */
  git(...args: string[]): string;
  /** Opens a session of the scripted agent, which may do everything; gives its key. */
  openSession(folder?: string, label?: string): Promise<string>;
  /** Runs a turn to its end. */
  send(sessionKey: string, message: string): Promise<void>;
  /** Asks the host over HTTP. */
  api(method: string, place: string, body?: object): Promise<Record<string, unknown>>;
}

/** A command that the agent runs in a terminal of the host. */
export function run(name: string, command: string): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", { command }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Release`, "terminal/release", { terminalId }),
  ];
}

const greeting = `// Greets people by name.
export function greet(name: string): string {
  const words = ["Hello", name];
  return words.join(", ");
}
`;

const prompts = {
  "Add a greeting for the evening": [
    say("I will look at `src/greet.ts:2` first."),
    ...run(
      "edit",
      `sed -i 's/"Hello"/isEvening() ? "Good evening" : "Hello"/' src/greet.ts; ` +
        `printf 'export function isEvening(now = new Date()): boolean {\\n  return now.getHours() >= 18;\\n}\\n' > src/evening.ts; ` +
        `printf '\\nGood evening works too.\\n' >> README.md`,
    ),
    say("Done: the greeting in `src/greet.ts:3` asks `src/evening.ts:1` for the time."),
  ],
  "*": [
    ...run("again", "sed -i 's/>= 18/>= 17/' src/evening.ts"),
    say("Changed as you asked in src/evening.ts:2."),
  ],
};

export async function startReviewScene(
  more: Readonly<Record<string, readonly Step[]>> = {},
): Promise<ReviewScene> {
  const scripted = await startScriptedHost({ prompts: { ...prompts, ...more } });
  const { host } = scripted;
  const repository = path.join(host.project, "greeter");
  const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  const git = (...args: string[]): string =>
    execFileSync("git", [...person, "-C", repository, ...args], { encoding: "utf8" });
  mkdirSync(path.join(repository, "src"), { recursive: true });
  writeFileSync(path.join(repository, "src/greet.ts"), greeting);
  writeFileSync(path.join(repository, "README.md"), "# Greeter\n\nGreets people.\n");
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  git("add", "-A");
  git("commit", "-qm", "First");
  const api: ReviewScene["api"] = async (method, place, body) => {
    const answer = await fetch(host.url + place, {
      method,
      headers: { "x-api-key": host.token, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const read = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${place}: ${JSON.stringify(read)}`);
    return read;
  };
  return {
    ...scripted,
    url: `${host.url}/?tkn=${host.token}`,
    repository,
    git,
    api,
    async openSession(folder = repository, label) {
      const body = {
        agent_id: "painter",
        cwd: folder,
        approvalPolicy: "approve-all",
        ...(label && { label }),
      };
      const { session } = await api("POST", "/sdk/acp/session", body);
      return (session as { readonly session_key: string }).session_key;
    },
    async send(sessionKey, message) {
      await api("POST", `/sdk/acp/session/${encodeURIComponent(sessionKey)}/chat`, { message });
    },
  };
}
