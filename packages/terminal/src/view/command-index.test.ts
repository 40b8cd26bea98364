// The index of commands, against a reducer of the actions that clients get.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CommandEvent, CommandIndex } from "./command-index.ts";
import { type ContentPart, type ContentSource, readContent } from "./content-parts.ts";
import { ByteRing } from "./ring.ts";
import type { MarkContent } from "./stream-mark.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 50_000 : 800;

/** Content as a client makes it of `terminal/data`, `commandExecuted`, `commandFinished` and `cleared`. */
class ClientContent {
  parts: ContentPart[] = [];

  data(text: string): void {
    const tail = this.parts.at(-1);
    if (text === "") return;
    if (tail?.type === "command" && !tail.isComplete) {
      this.#replaceTail({ ...tail, output: tail.output + text });
    } else if (tail?.type === "unclassified") {
      this.#replaceTail({ ...tail, value: tail.value + text });
    } else {
      this.parts.push({ type: "unclassified", value: text });
    }
  }

  event(event: CommandEvent): void {
    const { command } = event;
    const at = this.parts.findIndex((part) => part.type === "command" && part.commandId === command.id);
    if (event.kind === "executed") {
      const { id: commandId, commandLine, startedAtMs: timestamp } = command;
      this.parts.push({ type: "command", commandId, commandLine, output: "", timestamp, isComplete: false });
      return;
    }
    const part = this.parts[at];
    if (part?.type !== "command") return;
    if (event.kind === "lineLearned") {
      this.parts[at] = { ...part, commandLine: command.commandLine };
      return;
    }
    const { exitCode, durationMs } = event.command;
    this.parts[at] = { ...part, isComplete: true, ...(exitCode !== undefined && { exitCode }), durationMs };
  }

  #replaceTail(part: ContentPart): void {
    this.parts[this.parts.length - 1] = part;
  }
}

/** A ring, an index and a client that receive the same events. */
class Scene {
  readonly ring: ByteRing;
  readonly index: CommandIndex;
  readonly client = new ClientContent();
  readonly events: CommandEvent[] = [];
  #nowMs = 1000;
  #lastId = 0;

  constructor({ capacityBytes = 1 << 20, maxCommands = 10_000 } = {}) {
    this.ring = new ByteRing({ capacityBytes });
    this.index = new CommandIndex({ newId: () => `c${++this.#lastId}`, maxCommands });
  }

  get source(): ContentSource {
    const { ring } = this;
    return {
      startOffset: ring.startOffset,
      endOffset: ring.endOffset,
      bytes: (from, to) => ring.copy(from, to),
    };
  }

  write(text: string): void {
    this.#hear(this.index.announce());
    this.client.data(text);
    this.ring.push(Buffer.from(text));
  }

  mark(content: MarkContent): void {
    const offset = this.ring.endOffset;
    this.#hear(this.index.take({ ...content, offset, rawOffset: offset }, (this.#nowMs += 5)));
  }

  clear(): void {
    this.index.clear(this.ring.endOffset);
    this.client.parts = [];
  }

  exit(): void {
    this.#hear(this.index.end(this.ring.endOffset, (this.#nowMs += 5)));
  }

  /** A whole command. */
  run(commandLine: string, output: string, exitCode = 0): void {
    this.mark({ kind: "commandLine", commandLine });
    this.mark({ kind: "commandExecuted" });
    if (output !== "") this.write(output);
    this.mark({ kind: "commandFinished", exitCode });
  }

  #hear(events: readonly CommandEvent[]): void {
    this.events.push(...events);
    for (const event of events) this.client.event(event);
  }
}

type Step = { readonly write: string } | { readonly mark: MarkContent } | "clear" | "exit";

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("x", "text\r\n", "漢字", "").map((write): Step => ({ write })) },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom<MarkContent>(
          { kind: "promptStart" },
          { kind: "promptEnd" },
          { kind: "commandLine", commandLine: "ls" },
          { kind: "commandLine", commandLine: "make" },
          { kind: "commandExecuted" },
          { kind: "commandExecuted" },
          { kind: "commandFinished", exitCode: 0 },
          { kind: "commandFinished", exitCode: 130 },
          { kind: "commandFinished" },
          { kind: "cwd", path: "/a" },
        )
        .map((mark): Step => ({ mark })),
    },
    { weight: 1, arbitrary: fc.constantFrom<Step>("clear", "exit") },
  ),
  { maxLength: 40 },
);

describe("[T85] the index", () => {
  it("[T85] gives each command its line, directory, bytes, code and time", () => {
    const scene = new Scene();
    scene.mark({ kind: "cwd", path: "/home" });
    scene.write("$ ls\r\n");
    scene.run("ls", "a b\r\n", 0);
    scene.write("$ ");
    expect(scene.events.map(({ kind }) => kind)).toEqual(["executed", "finished"]);
    expect(scene.index.commandAt(6)).toEqual({
      id: "c1",
      commandLine: "ls",
      cwd: "/home",
      startOffset: 6,
      endOffset: 11,
      startedAtMs: 1015,
      durationMs: 5,
      exitCode: 0,
      state: "finished",
    });
    expect([5, 6, 10, 11].map((offset) => scene.index.commandAt(offset)?.id)).toEqual([
      undefined,
      "c1",
      "c1",
      undefined,
    ]);
  });

  it("[T85] a directory on another machine is not that of the commands here", () => {
    const scene = new Scene();
    scene.mark({ kind: "cwd", path: "/far", host: "far.example" });
    scene.run("ls", "");
    expect(scene.index.open).toBeUndefined();
    expect(scene.events[0]?.command.cwd).toBeUndefined();
  });

  it("[T85] a line that follows at once belongs to the command; one that follows output is reported separately", () => {
    const scene = new Scene();
    scene.mark({ kind: "commandExecuted" });
    expect(scene.events).toEqual([]);
    scene.mark({ kind: "commandLine", commandLine: "make" });
    expect(scene.events).toMatchObject([{ kind: "executed", command: { commandLine: "make" } }]);
    scene.mark({ kind: "commandFinished", exitCode: 0 });
    scene.mark({ kind: "commandExecuted" });
    scene.write("output");
    expect(scene.events.at(-1)).toMatchObject({ kind: "executed", command: { commandLine: "" } });
    scene.mark({ kind: "commandLine", commandLine: "(make)" });
    expect(scene.events.at(-1)).toMatchObject({ kind: "lineLearned", command: { commandLine: "(make)" } });
  });

  it.each<[string, (scene: Scene) => void]>([
    ["another command", (scene) => scene.mark({ kind: "commandExecuted" })],
    ["a prompt", (scene) => scene.mark({ kind: "promptStart" })],
    ["the end of the shell", (scene) => scene.exit()],
  ])("[T85] a command that is open at %s was cut off, without a code", (_what, end) => {
    const scene = new Scene();
    scene.mark({ kind: "commandLine", commandLine: "vim" });
    scene.mark({ kind: "commandExecuted" });
    expect(scene.index.open).toMatchObject({ commandLine: "vim", state: "open" });
    end(scene);
    expect(scene.events[1]).toMatchObject({ kind: "finished", command: { id: "c1", state: "cutOff" } });
    expect(scene.events[1]?.command).not.toHaveProperty("exitCode");
  });

  it("[T85] an end without a beginning is nothing, and a line without a command is forgotten", () => {
    const scene = new Scene();
    scene.mark({ kind: "commandFinished", exitCode: 1 });
    scene.mark({ kind: "commandLine", commandLine: "never run" });
    scene.mark({ kind: "promptStart" });
    expect(scene.events).toEqual([]);
    scene.mark({ kind: "commandExecuted" });
    scene.write("x");
    expect(scene.events).toMatchObject([{ kind: "executed", command: { commandLine: "" } }]);
  });
});

describe("[T86] the content", () => {
  it("[T86] is what a client makes of the same actions, until a trim", () => {
    fc.assert(
      fc.property(steps, (story) => {
        const scene = new Scene();
        for (const step of story) {
          if (step === "clear") scene.clear();
          else if (step === "exit") scene.exit();
          else if ("write" in step) scene.write(step.write);
          else scene.mark(step.mark);
          expect(readContent(scene.source, scene.index).parts).toEqual(scene.client.parts);
        }
      }),
      { numRuns },
    );
  });

  it("[T86] after a trim it is the rest: joined, its values are the bytes that are kept from its start on", () => {
    fc.assert(
      fc.property(steps, (story) => {
        const scene = new Scene({ capacityBytes: 24 });
        for (const step of story) {
          if (step === "clear") continue;
          if (step === "exit") scene.exit();
          else if ("write" in step) scene.write(step.write);
          else scene.mark(step.mark);
        }
        const { source } = scene;
        const { parts, startOffset, endOffset } = readContent(source, scene.index);
        const joined = parts.map((part) => (part.type === "command" ? part.output : part.value)).join("");
        expect(joined).toBe(Buffer.from(source.bytes(startOffset, source.endOffset)).toString("utf8"));
        expect(endOffset).toBe(source.endOffset);
        const dropped = Buffer.from(source.bytes(source.startOffset, startOffset)).toString("utf8");
        if (source.startOffset === 0) expect(dropped).toBe("");
        // At most the rest of one line.
        expect(dropped.slice(0, -1)).not.toContain("\n");
      }),
      { numRuns },
    );
  });

  it("[T86] a command whose beginning was trimmed keeps its line and the rest of its output", () => {
    const scene = new Scene({ capacityBytes: 10 });
    scene.run("old", "gone gone gone");
    scene.write("$ ");
    scene.run("seq", "0123456789abc");
    expect(readContent(scene.source, scene.index).parts).toMatchObject([
      { type: "command", commandLine: "seq", output: "3456789abc", isComplete: true },
    ]);
    expect(scene.index.count).toBe(1);
  });

  it("[T205] after a trim it begins neither inside a sequence nor inside a character", () => {
    const sequences = [
      "\x1b[38;2;1;2;3m",
      "\x1b]8;;https://example.org/\x1b\\",
      "\x1bPq#0;2;0;0;0\x1b\\",
      "\x1b[?1049h",
    ];
    const pieces = fc.oneof(
      fc.constantFrom(...sequences),
      fc.constantFrom("text", "漢字", "🎉", "\r\n", "a longer piece of text"),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.nat(400), (all, cut) => {
        const bytes = Buffer.from(all.join(""));
        const from = Math.min(cut, bytes.length);
        const source = {
          startOffset: from,
          endOffset: bytes.length,
          bytes: (start: number, end: number) => bytes.subarray(start, end),
        };
        const { startOffset } = readContent(source, new CommandIndex({ newId: () => "id" }));
        const rest = bytes.subarray(from).toString("latin1");
        fc.pre(/[\x1b\n]/.test(rest));
        // A boundary of the pieces, of a line, or of the second half of a string's end.
        const boundaries = new Set([0]);
        for (const piece of all) boundaries.add(Math.max(...boundaries) + Buffer.byteLength(piece));
        const isEndOfString = bytes.subarray(startOffset, startOffset + 2).toString() === "\x1b\\";
        expect(boundaries.has(startOffset) || isEndOfString).toBe(true);
      }),
      { numRuns },
    );
  });

  it("[T86] half a character at the end is left to the data that follows", () => {
    const scene = new Scene();
    scene.ring.push(Buffer.from("ab漢").subarray(0, 4));
    expect(readContent(scene.source, scene.index)).toEqual({
      parts: [{ type: "unclassified", value: "ab" }],
      startOffset: 0,
      endOffset: 2,
    });
  });
});

describe("[T87] the bounds of the index", () => {
  it("[T87] keeps the newest commands; the output of others belongs to none", () => {
    const scene = new Scene({ maxCommands: 3 });
    for (let number = 1; number <= 5; number++) scene.run(`run ${number}`, `${number}`);
    expect(scene.index.count).toBe(3);
    expect(readContent(scene.source, scene.index).parts).toMatchObject([
      { type: "unclassified", value: "12" },
      { commandLine: "run 3" },
      { commandLine: "run 4" },
      { commandLine: "run 5" },
    ]);
  });

  it("[T87] a hundred thousand commands cost little each, and finding one too", () => {
    const scene = new Scene();
    const startedAt = performance.now();
    for (let number = 0; number < 100_000; number++) scene.index.take(executedAt(number), number);
    for (let offset = 90_000; offset < 100_000; offset++) scene.index.commandAt(offset);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(scene.index.count).toBeLessThanOrEqual(10_000);
  });
});

function executedAt(offset: number) {
  return { kind: "commandExecuted", offset, rawOffset: offset } as const;
}
