// Runs without a PTY as clients of the seed and of 1.0 render them: line ends and command parts.
import { ROOT_URI, defaultChatUri, makeId, newRootState, sessionUri } from "@holdfast/ahp";
import { ChannelProjection, v0_1, v1_0, type Dialect } from "@holdfast/ahp/dialects";
import { Spawner } from "@holdfast/terminal/process";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { LogReader } from "../channel/log-reader.ts";
import { Hub } from "../channel/hub.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { guardLeaks } from "../testing/detector.ts";
import type { AgentSide } from "./agent-side.ts";
import { FinishedTerminals } from "./finished-terminals.ts";
import { TerminalSubscriptions } from "./terminal-subscriptions.ts";
import type { HostTerminal } from "./host-terminal.ts";
import { HostTerminals } from "./host-terminals.ts";

guardLeaks();
const processPort = new Spawner({ environment: { PATH: process.env["PATH"] } });
const hub = new Hub();
hub.open(ROOT_URI, "root", newRootState());
const now = (): Date => new Date();
const terminals = new HostTerminals({ processPort, hub, now, lingerMs: 0 });
const finished = new FinishedTerminals({ hub, storage: new MemoryStorage(), spool: undefined, now });
const subscriptions = new TerminalSubscriptions(hub, terminals, finished);
const session = sessionUri(makeId("session", "s"));
const claim = { kind: "session", session, chat: defaultChatUri(session) } as const;
const agent: AgentSide = { session, claimOf: () => claim, moved: () => {}, forget: () => {} };
afterAll(async () => {
  finished.close();
  await terminals.close();
  await processPort.close();
});

interface WirePart {
  readonly type: string;
  readonly value?: string;
  readonly output?: string;
  readonly commandId?: string;
  readonly commandLine?: string;
  readonly isComplete?: boolean;
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
}

interface WireAction extends WirePart {
  readonly data?: string;
}

/** A client of some dialect: parts from the snapshot on, kept by the rules of the protocol's own reducer. */
class Viewer {
  readonly parts: WirePart[];
  readonly #cursor: LogReader;
  readonly #projection: ChannelProjection;

  constructor(dialect: Dialect, uri: string) {
    const { snapshot, cursor } = subscriptions.subscribe(uri) ?? expect.fail("There is no such terminal");
    const { state, content, seq } = snapshot;
    const shown = dialect.showSnapshot(uri, seq, { kind: "terminal", state, content });
    const { state: wire } = shown ?? expect.fail("The dialect has no terminals");
    this.parts = [...(wire as { content: WirePart[] }).content];
    this.#cursor = cursor;
    this.#projection = new ChannelProjection(dialect, { kind: "terminal", state }, seq);
  }

  get text(): string {
    this.read();
    return this.parts.map(({ output, value }) => output ?? value ?? "").join("");
  }

  read(): void {
    const reading = this.#cursor.read();
    if (reading.kind !== "entries") return;
    for (const entry of reading.entries) {
      for (const { params } of this.#projection.show(entry) ?? []) {
        this.#apply((params as { action: WireAction }).action);
      }
    }
  }

  close(): void {
    this.#cursor.close();
  }

  #apply(action: WireAction): void {
    const last = this.parts.at(-1);
    if (action.type === "terminal/data") {
      const data = action.data ?? "";
      if (last?.type === "command" && last.isComplete !== true) {
        this.parts.splice(-1, 1, { ...last, output: (last.output ?? "") + data });
      } else if (last?.type === "unclassified") {
        this.parts.splice(-1, 1, { ...last, value: (last.value ?? "") + data });
      } else this.parts.push({ type: "unclassified", value: data });
    } else if (action.type === "terminal/commandExecuted") {
      const { commandId, commandLine } = action;
      this.parts.push({ type: "command", commandId, commandLine, output: "", isComplete: false });
    } else if (action.type === "terminal/commandFinished" && last !== undefined) {
      const { exitCode, durationMs } = action;
      this.parts.splice(-1, 1, { ...last, isComplete: true, exitCode, durationMs });
    }
  }
}

/** Character by character: every LF that no CR precedes gets one. */
function withCarriageReturns(text: string): string {
  let rendered = "";
  let before = "";
  for (const character of text) {
    rendered += character === "\n" && before !== "\r" ? "\r\n" : character;
    before = character;
  }
  return rendered;
}

const pieces = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "é", "😀", "\u001B[31m", "\n\n"), {
  maxLength: 30,
});
const bytes = fc.oneof(
  pieces.map((each) => Buffer.from(each.join(""))),
  fc
    .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xa9, 0xff, 0xf0, 0x9f), { maxLength: 30 })
    .map((each) => Buffer.from(each)),
);

test("[E322, U322] however output is cut and whenever a client joins, the seed gets CR LF and 1.0 the bytes as they are", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(30)), fc.nat(10), (written, cuts, joinAt) => {
      const { terminal, run } = terminals.show({ title: "shown", claim, agent });
      const ends = [...new Set([...cuts.filter((cut) => cut < written.length), written.length])];
      const chunks = ends
        .toSorted((one, other) => one - other)
        .map((end, index, all) => written.subarray(all[index - 1] ?? 0, end));
      const early = [new Viewer(v0_1, terminal.uri), new Viewer(v1_0, terminal.uri)] as const;
      let late: Viewer | undefined;
      for (const [index, chunk] of chunks.entries()) {
        run.append(chunk);
        if (index === joinAt) late = new Viewer(v0_1, terminal.uri);
        terminal.publisher.flush();
      }
      run.finish();
      const plain = new TextDecoder("utf-8", { ignoreBOM: true }).decode(written);
      const after = new Viewer(v0_1, terminal.uri);
      for (const viewer of [early[0], after, ...(late === undefined ? [] : [late])]) {
        expect(viewer.text).toBe(withCarriageReturns(plain));
        viewer.close();
      }
      expect(early[1].text).toBe(plain);
      early[1].close();
      void terminal.close();
    }),
    { numRuns: 300 },
  );
});

test("[E322] a tty's bytes are what they are in every dialect", async () => {
  const terminal = await runCommand("printf 'a\\nb'", "tty");
  await terminal.exited;
  for (const dialect of [v0_1, v1_0]) {
    const viewer = new Viewer(dialect, terminal.uri);
    expect(viewer.text).toBe("a\r\nb");
    viewer.close();
  }
  await terminal.close();
});

for (const kind of ["text", "tty"] as const) {
  test(`[U323] an agent's ${kind} command is one command part, with its line, output, code and duration`, async () => {
    const terminal = await runCommand("read word < /dev/null; printf 'one\\ntwo'; exit 3", kind);
    const early = new Viewer(v1_0, terminal.uri);
    await terminal.exited;
    await new Promise(setImmediate);
    const late = new Viewer(v1_0, terminal.uri);
    for (const viewer of [early, late]) {
      viewer.read();
      expect(viewer.parts).toMatchObject([
        {
          type: "command",
          commandLine: terminal.title,
          output: kind === "tty" ? "one\r\ntwo" : "one\ntwo",
          isComplete: true,
          exitCode: 3,
          durationMs: expect.any(Number),
        },
      ]);
      viewer.close();
    }
    expect(hub.state(terminal.uri, "terminal")).toMatchObject({
      supportsCommandDetection: true,
      lastCommand: { commandLine: terminal.title, exitCode: 3 },
    });
    await terminal.close();
  });
}

test("[U323] a command that a signal ended has no code, and what its children write afterwards is no part of it", async () => {
  const terminal = await runCommand("printf cut; (read wait; echo late) < /dev/zero & kill -9 $$");
  const viewer = new Viewer(v1_0, terminal.uri);
  await terminal.exited;
  await new Promise(setImmediate);
  viewer.read();
  expect(viewer.parts).toMatchObject([{ type: "command", output: "cut", isComplete: true }]);
  expect(viewer.parts[0]).not.toHaveProperty("exitCode", expect.any(Number));
  viewer.close();
  await terminal.close();
});

function runCommand(command: string, kind: "text" | "tty" = "text"): Promise<HostTerminal> {
  const wanted = { command, args: [], cwd: "/", env: undefined, outputByteLimit: undefined, kind };
  return terminals.create(wanted, claim, agent);
}
