// Work that runs while its host is killed; each kind knows afterwards whether anything was lost or came twice.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeId, terminalUri } from "@holdfast/ahp";
import { type Holdfast, HoldfastError } from "@holdfast/sdk";
import { FollowedTurn } from "../agents/followed-turn.ts";
import type { Random } from "../ahp/must-show/random.ts";
import { connectByAhp, followByAhp, followByStream } from "./terminal-viewers.ts";

/** Where a piece of work runs. */
export interface Workplace {
  /** A client that retries while the host is away. */
  readonly sdk: Holdfast;
  /** The address is the same after each restart. */
  readonly host: { readonly url: string; readonly token: string };
  readonly random: Random;
  readonly folder: string;
  /** Different for each piece of work. */
  readonly name: string;
}

/** Work that was started. */
export interface Work {
  readonly name: string;
  /** Waits for its end, removes what it used, and gives its result. */
  finish(): Promise<unknown>;
  readonly expected: unknown;
}

type Workload = (place: Workplace) => Promise<Work>;

/** The kinds of work. */
export const workloads: readonly [Workload, ...Workload[]] = [
  slowLines,
  flood,
  approvedCommand,
  queuedMessages,
  typedInput,
  typedKeys,
];

/** A turn whose command prints slowly: every viewer has every line once, and the stream ends once. */
async function slowLines({ sdk, host, random, folder, name }: Workplace): Promise<Work> {
  const key = await openSession(sdk, folder, "approve-all");
  const lines = random.whole(200, 1500);
  const command = `for i in $(seq 1 ${lines}); do echo line $i; sleep 0.00${random.whole(1, 9)}; done`;
  const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, command));
  const terminalId = await terminalOf(sdk, key);
  const viewers = [followByStream(sdk, terminalId), await followByAhp(host, name, terminalId)];
  const text = numbered("line ", lines);
  return {
    name: `slow lines (${lines})`,
    expected: { end: "end_turn", dones: 1, text, viewed: [text, text] },
    async finish() {
      const end = await turn.ended();
      const viewed = await Promise.all(
        viewers.map(async (viewer) => (await viewer.text).replaceAll("\r\n", "\n")),
      );
      const output = await outputOf(sdk, key);
      await sdk.acpAgent.closeSession(key);
      const dones = turn.events.filter(({ type }) => type === "done").length;
      return { end, dones, text: output, viewed };
    },
  };
}

/** A turn whose command prints faster than anything is stored; of its output the end is kept. */
async function flood({ sdk, random, folder }: Workplace): Promise<Work> {
  const key = await openSession(sdk, folder, "approve-all");
  const lines = random.whole(100_000, 3_000_000);
  const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, `seq 1 ${lines}`));
  // A message whose response is lost is not sent again.
  await turn.begun();
  return {
    name: `flood (${lines} lines)`,
    expected: { end: "end_turn", isWhole: true },
    async finish() {
      const end = await turn.ended();
      const shown = (await outputOf(sdk, key)).trimEnd().split("\n");
      // The first line may be cut by the limit.
      const whole = shown.slice(1);
      const first = lines - whole.length + 1;
      const isWhole = whole.length > 1000 && whole.every((line, index) => line === String(first + index));
      await sdk.acpAgent.closeSession(key);
      return { end, isWhole };
    },
  };
}

/** A command that waits for a person during the kills, and then runs once. */
async function approvedCommand({ sdk, folder, name }: Workplace): Promise<Work> {
  const key = await openSession(sdk, folder, "ask");
  const file = path.join(folder, name);
  const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, `echo ran >> ${file}`));
  const { requestId, options } = await turn.permission();
  const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
  return {
    name: "approved command",
    expected: { end: "end_turn", before: false, after: "ran\n" },
    async finish() {
      const before = existsSync(file);
      await sdk.acpAgent.resolvePermission(key, { requestId, optionId });
      const end = await turn.ended();
      await sdk.acpAgent.closeSession(key);
      return { end, before, after: readFileSync(file, "utf8") };
    },
  };
}

/** Messages that wait in the queue of a running turn: each command runs once, in order. */
async function queuedMessages({ sdk, random, folder, name }: Workplace): Promise<Work> {
  const key = await openSession(sdk, folder, "approve-all");
  const file = path.join(folder, name);
  const messages = random.whole(2, 5);
  const turns: FollowedTurn[] = [];
  for (let message = 1; message <= messages; message += 1) {
    const command = `sleep 0.${random.whole(1, 9)}; echo message ${message} >> ${file}`;
    const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, command, [], { queue: true }));
    turns.push(turn);
    // The order of the messages is that of the requests.
    await turn.begun();
  }
  return {
    name: `queued messages (${messages})`,
    expected: { ends: turns.map(() => "end_turn"), text: numbered("message ", messages) },
    async finish() {
      const ends = await Promise.all(turns.map((turn) => turn.ended()));
      await sdk.acpAgent.closeSession(key);
      return { ends, text: readFileSync(file, "utf8") };
    },
  };
}

/** Input that is sent by offset, and sent again when the host is away: the program reads each byte once. */
async function typedInput({ sdk, random, folder, name }: Workplace): Promise<Work> {
  const file = path.join(folder, name);
  const { id } = await sdk.terminals.create({
    command: "/bin/sh",
    args: ["-c", `cat > ${file}`],
    kind: "text",
    cwd: folder,
    input: true,
  });
  const lines = random.whole(50, 300);
  const typing = (async () => {
    let offset = 0;
    for (let line = 1; line <= lines; line += 1) {
      const text = `typed ${line}\n`;
      await untilAccepted(() => sdk.terminals.input(id, text, { offset, end: line === lines }));
      offset += text.length;
      await sleep(random.whole(0, 30));
    }
  })();
  // A failure is for `finish`.
  typing.catch(() => undefined);
  return {
    name: `typed input (${lines} lines)`,
    expected: numbered("typed ", lines),
    async finish() {
      await typing;
      for (;;) {
        const terminal = (await sdk.terminals.list()).find((each) => each.id === id);
        if (terminal === undefined || terminal.lifecycle.status === "exited") break;
        await sleep(50);
      }
      return readFileSync(file, "utf8");
    },
  };
}

/** Keys of a client that holds a terminal and types on while the host is away: the program reads each key once. */
async function typedKeys({ sdk, host, random, folder, name }: Workplace): Promise<Work> {
  const file = path.join(folder, name);
  const { id } = await sdk.terminals.create({
    command: "/bin/sh",
    args: ["-c", `cat > ${file}`],
    kind: "tty",
    cwd: folder,
  });
  const client = await connectByAhp(host, name);
  const handle = await client.subscribe(terminalUri(makeId("terminal", id)), "terminal");
  const claim = { kind: "client", clientId: makeId("client", name) } as const;
  const claimed = await handle.dispatch({ type: "terminal/claimed", claim });
  if (claimed.status !== "confirmed") throw new Error(`The terminal was not taken over: ${claimed.status}`);
  const lines = random.whole(50, 600);
  const typing = (async () => {
    const outcomes: Promise<{ readonly status: string }>[] = [];
    for (let line = 1; line <= lines; line += 1) {
      for (const data of ["key ", `${line}`, "\r"]) {
        outcomes.push(handle.dispatch({ type: "terminal/input", data }));
      }
      await sleep(random.whole(0, 15));
    }
    return new Set((await Promise.all(outcomes)).map(({ status }) => status));
  })();
  // A failure is for `finish`.
  typing.catch(() => undefined);
  return {
    name: `typed keys (${lines} lines)`,
    expected: { statuses: new Set(["confirmed"]), text: numbered("key ", lines) },
    async finish() {
      const statuses = await typing;
      await handle.dispatch({ type: "terminal/input", data: "\u0004" });
      while (handle.state.lifecycle.status !== "exited") await sleep(50);
      client.close();
      return { statuses, text: readFileSync(file, "utf8") };
    },
  };
}

async function openSession(
  sdk: Holdfast,
  cwd: string,
  approvalPolicy: "approve-all" | "ask",
): Promise<string> {
  return (await sdk.acpAgent.createSession({ agent_id: "shell", cwd, approvalPolicy })).session_key;
}

async function outputOf(sdk: Holdfast, sessionKey: string): Promise<string> {
  return (await sdk.terminals.output(await terminalOf(sdk, sessionKey))).text;
}

/** The terminal of a session's first command, once it has begun. */
export async function terminalOf(sdk: Holdfast, sessionKey: string): Promise<string> {
  for (;;) {
    const [terminal] = await sdk.terminals.list({ sessionKey });
    if (terminal !== undefined) return terminal.id;
    await sleep(50);
  }
}

function numbered(word: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${word}${index + 1}\n`).join("");
}

async function untilAccepted(send: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code !== "CONNECTION_FAILED") throw error;
      await sleep(50);
    }
  }
}
