// The ledger of one agent's run: what was handled of its output and what was sent to it, committed before it counts.
import type { Connection, MessageChunks, RequestJournal } from "@holdfast/jsonrpc";
import type { Run } from "@holdfast/terminal/port";
import type { Hub } from "../channel/hub.ts";
import type { JournalRecord, RunText } from "../channel/journal.ts";
import type { CommitParticipant } from "../channel/publisher.ts";
import type { StoredRun } from "../ports.ts";

/** Dependencies of a ledger. */
export interface LedgerDeps {
  readonly hub: Pick<Hub, "join" | "recording">;
  readonly session: string;
  /** The rest of what the next host needs, besides offsets, frames and requests. */
  readonly describe: () => object;
}

interface Frame extends RunText {
  readonly bytes: Buffer;
  /** Whether the storage has it, or cannot have it: then it may be written. */
  isKept: boolean;
}

/** Bytes of an agent's stderr that its process port holds for the next host. */
const heldErrorBytes = 16 * 1024;
const errorStepBytes = 64 * 1024;

/** Bytes that a process port has been given may be on their way to where they are held: frames are kept for so long. */
const onTheirWayBytes = 1280 * 1024;

/**
 * Frames for the agent get their offset, are committed, and only then written. After a crash the next host writes those
 * again that the port has not taken, byte for byte (N720).
 */
export class AgentLedger implements CommitParticipant, RequestJournal {
  /** The host's name for the run; its requests are named after it. */
  readonly name: string;
  readonly #deps: LedgerDeps;
  readonly #stopWatching: () => void;
  #connection: Connection | undefined;
  #run: Run | undefined;
  #sentOffset = 0;
  #writtenOffset = 0;
  #takenOffset = 0;
  #handledOffset = 0;
  #acknowledgedError = 0;
  /** Frames that are not written, in order. */
  #frames: Frame[] = [];
  /** How many of them the storage has been given. */
  #givenFrames = 0;
  /** Offsets of open requests that the storage has. */
  readonly #stored = new Set<number>();
  #opened: RunText[] = [];
  #answered: number[] = [];
  #state: string | undefined;
  #isStateDirty = true;
  #phase: "open" | "ended" | "closed" = "open";
  readonly #secrets: string[] = [];
  #onDrain: () => void = () => {};

  constructor(name: string, deps: LedgerDeps, stored?: StoredRun) {
    this.name = name;
    this.#deps = deps;
    if (stored !== undefined) {
      this.#handledOffset = stored.handledOffset;
      this.#sentOffset = stored.sentOffset;
      this.#state = stored.state;
      for (const { offset } of stored.requests) this.#stored.add(offset);
    }
    this.#stopWatching = deps.hub.recording.onOutage(() => this.#writeUnkept());
  }

  /** The connection whose messages it keeps account of. */
  follow(connection: Connection): void {
    this.#connection = connection;
  }

  /** The run is there: what the agent has not taken is written (again). */
  attach(run: Run, stored?: StoredRun): void {
    this.#run = run;
    run.onDrain(() => {
      this.#takenOffset = this.#writtenOffset;
      this.#onDrain();
    });
    if (stored !== undefined) this.#writeAgain(run, stored);
    this.#write();
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /**
   * Keeps a secret of ASCII letters out of storage: frames have as many asterisks in its place. No host writes such a
   * frame again, since it continues only with agents that have taken the frames that opened their session.
   */
  conceal(secret: string): void {
    this.#secrets.push(secret);
  }

  /** Takes a message for the agent; it is written when it is committed. */
  send(chunks: MessageChunks): boolean {
    const bytes = Buffer.concat(
      chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)),
    );
    const offset = this.#sentOffset;
    this.#sentOffset += bytes.length;
    this.#frames.push({ offset, bytes, text: this.#concealed(bytes.toString("utf8")), isKept: false });
    this.changed();
    if (!this.#deps.hub.recording.isStoring) this.#writeUnkept();
    return true;
  }

  opened(offset: number, text: string): void {
    if (!this.#stored.has(offset)) this.#opened.push({ offset, text });
    this.changed();
  }

  answered(offset: number): void {
    if (this.#stored.delete(offset)) this.#answered.push(offset);
    else this.#opened = this.#opened.filter((each) => each.offset !== offset);
    this.changed();
  }

  /** Bytes of the agent were handled. */
  progressed(): void {
    if (this.#phase === "open") this.#deps.hub.join(this);
  }

  /** Bytes of the agent's stderr were read up to an offset. */
  noteError(endOffset: number): void {
    if (endOffset - this.#acknowledgedError < errorStepBytes + heldErrorBytes) return;
    this.#acknowledgedError = endOffset - heldErrorBytes;
    this.#run?.acknowledge("error", this.#acknowledgedError);
  }

  /** Something else has changed that the next host needs to know. */
  changed(): void {
    this.#isStateDirty = true;
    this.progressed();
  }

  /** The run is over, and nobody will continue it. */
  end(): void {
    if (this.#phase !== "open") return;
    this.#stopWatching();
    this.#deps.hub.join(this);
    this.#phase = "ended";
  }

  takeRecords(): readonly JournalRecord[] {
    if (this.#phase === "closed") return [];
    if (this.#phase === "ended") {
      this.#phase = "closed";
      return [{ type: "runEnded", run: this.name }];
    }
    const frames = this.#frames.slice(this.#givenFrames).map(({ offset, text }) => ({ offset, text }));
    this.#givenFrames = this.#frames.length;
    if (this.#connection?.isSettled === true) this.#handledOffset = this.#connection.handledOffset;
    const opened = this.#opened;
    const answered = this.#answered;
    this.#opened = [];
    this.#answered = [];
    for (const { offset } of opened) this.#stored.add(offset);
    const state = this.#takeState();
    return [
      {
        type: "run",
        run: this.name,
        session: this.#deps.session,
        handledOffset: this.#handledOffset,
        sentOffset: this.#sentOffset,
        takenOffset: Math.max(0, this.#takenOffset - onTheirWayBytes),
        frames,
        opened,
        answered,
        ...(state !== undefined && { state }),
      },
    ];
  }

  committed(): void {
    if (this.#phase !== "open") return;
    for (const frame of this.#frames.slice(0, this.#givenFrames)) frame.isKept = true;
    this.#write();
    this.#run?.acknowledge("output", this.#handledOffset);
  }

  #concealed(text: string): string {
    return this.#secrets.reduce((left, secret) => left.replaceAll(secret, "*".repeat(secret.length)), text);
  }

  #takeState(): string | undefined {
    if (!this.#isStateDirty) return undefined;
    this.#isStateDirty = false;
    // Agents name secrets in the command lines of their processes, too.
    const state = this.#concealed(JSON.stringify(this.#deps.describe()));
    if (state === this.#state) return undefined;
    this.#state = state;
    return state;
  }

  /** While nothing can be recorded, the agent must still be reachable: it is asked to stop (D261). */
  #writeUnkept(): void {
    for (const frame of this.#frames) frame.isKept = true;
    this.#write();
  }

  #write(): void {
    const run = this.#run;
    if (run === undefined) return;
    let frame = this.#frames[0];
    while (frame?.isKept === true) {
      this.#frames.shift();
      this.#givenFrames = Math.max(0, this.#givenFrames - 1);
      this.#writtenOffset = frame.offset + frame.bytes.length;
      if (run.write(frame.bytes)) this.#takenOffset = this.#writtenOffset;
      frame = this.#frames[0];
    }
  }

  #writeAgain(run: Run, { frames, sentOffset }: StoredRun): void {
    const { inputOffset } = run;
    // A host that could not record what it sent has sent more.
    const shift = Math.max(0, inputOffset - sentOffset);
    if (shift > 0) {
      this.#sentOffset += shift;
      this.#frames = this.#frames.map((frame) => ({ ...frame, offset: frame.offset + shift }));
    }
    this.#writtenOffset = inputOffset;
    this.#takenOffset = inputOffset;
    for (const { offset, text } of frames) {
      const bytes = Buffer.from(text);
      const missing = bytes.subarray(Math.max(0, inputOffset - offset));
      if (missing.length === 0) continue;
      this.#writtenOffset = offset + bytes.length;
      if (run.write(missing)) this.#takenOffset = this.#writtenOffset;
    }
  }
}
