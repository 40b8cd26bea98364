// Terminals of an earlier host: made again from their held runs, or from the spool where their agent runs them.
import type { TerminalUri } from "@holdfast/ahp";
import { OWNER_CLIENT_ID } from "@holdfast/protocol";
import { removeShellFolder } from "@holdfast/terminal/shell-integration";
import { streamPlaceOf, textLimitBytes } from "@holdfast/terminal/terminal";
import type { RunScope } from "../limit/host-limits.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { within } from "../within.ts";
import type { AgentSide } from "./agent-side.ts";
import { DisplayRun, type SavedDisplayRun } from "./display-run.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminalsParts } from "./host-terminals.ts";
import type { OpenTerminals } from "./open-terminals.ts";
import { SESSION_SIZE, type TerminalFactory } from "./terminal-factory.ts";
import { terminalIdOf } from "./terminal-id.ts";
import { type HeldTerminalRun, readContinuation } from "./terminal-tag.ts";

/** How long a start waits until a terminal shows what it showed before. */
const catchUpMs = 1000;

export class EarlierTerminals {
  readonly #parts: HostTerminalsParts;
  readonly #factory: TerminalFactory;
  readonly #open: OpenTerminals;
  readonly #admit: (terminal: HostTerminal) => void;

  /** `admit` takes a terminal whose channel is open. */
  constructor(
    parts: HostTerminalsParts,
    factory: TerminalFactory,
    open: OpenTerminals,
    admit: (terminal: HostTerminal) => void,
  ) {
    this.#parts = parts;
    this.#factory = factory;
    this.#open = open;
    this.#admit = admit;
  }

  /**
   * Makes the terminal of an earlier host again, whose channel is open: what its run has held is read once more, and
   * what was published is not published again (U720). It counts in the scopes of its session.
   */
  async attach(
    held: HeldTerminalRun,
    storage: Storage,
    agent: AgentSide | undefined,
    scopes: readonly RunScope[],
  ): Promise<HostTerminal> {
    const { run, tag, state } = held;
    const { uri, marker } = tag;
    const { spool, processPort, owners } = this.#parts;
    const extent = await spool?.extent(uri);
    const continuation = readContinuation(storage, held, extent?.endOffset ?? 0);
    const { claim, size } = state;
    const plan = {
      ...tag.plan,
      textLimitBytes: tag.plan.textLimitBytes ?? textLimitBytes(undefined),
      claim,
      agent,
      isKept: tag.plan.isKept === true || (claim.kind === "client" && claim.clientId === OWNER_CLIENT_ID),
      startSize: tag.plan.size,
      ...(size !== undefined && { size: { columns: size.cols, rows: size.rows } }),
    };
    if (marker !== undefined) {
      const session = tag.session;
      owners?.restore(
        marker,
        session === undefined ? { kind: "terminal", uri } : { kind: "session", uri: session },
      );
    }
    const { promise: caughtUp, resolve: onCaughtUp } = deferred();
    if (continuation.shownOffset <= (continuation.place?.offset ?? 0)) onCaughtUp();
    const terminal = this.#factory.make(terminalIdOf(uri), uri, plan, { ...continuation, onCaughtUp });
    this.#admit(terminal);
    const from = streamPlaceOf(continuation.place);
    await terminal.start((sink) => processPort.attach(run.id, sink, from));
    // Clients that come back find what they saw.
    await within(catchUpMs, caughtUp);
    const { shellFolder: folder } = tag;
    if (folder !== undefined) {
      void terminal.exited
        .then(() => removeShellFolder({ integrated: true, folder }))
        .catch(this.#parts.onFault ?? (() => {}));
    }
    if (!run.hasExited) void terminal.exited.then(this.#open.reenter(scopes));
    return terminal;
  }

  /** Shows a command again that an agent runs itself, with the output that is kept; undefined when nothing is. */
  async showAgain(
    uri: TerminalUri,
    saved: SavedDisplayRun,
    agent: AgentSide,
  ): Promise<{ readonly terminal: HostTerminal; readonly run: DisplayRun } | undefined> {
    const { hub, spool } = this.#parts;
    const state = hub.state(uri, "terminal");
    if (state === undefined) return undefined;
    const bytes = await readSpooled(spool, uri, saved.writtenBytes);
    const { title, claim } = state;
    const plan = {
      title,
      claim,
      agent,
      kind: "display",
      size: SESSION_SIZE,
      textLimitBytes: textLimitBytes(undefined),
    } as const;
    const startedAt = new Date(state.startedAt ?? this.#parts.now());
    const shownOffset = saved.writtenBytes;
    const continuation = {
      startedAt,
      shownOffset,
      published: new Set<string>(),
      startedAtMs: new Map(),
      commands: [],
    };
    const terminal = this.#factory.make(terminalIdOf(uri), uri, plan, continuation);
    this.#admit(terminal);
    const run = terminal.attach((sink) => {
      sink.bytes("output", bytes, 0);
      return new DisplayRun(sink, { ...saved, state: "running", writtenBytes: saved.writtenBytes });
    });
    const exit = state.lifecycle.status === "exited" ? state.lifecycle.exit : undefined;
    if (saved.state !== "running") {
      run.exit(exit?.kind === "code" ? exit.exitCode : null, exit?.kind === "signal" ? exit.signal : null);
    }
    if (saved.state === "ended") run.finish();
    return { terminal, run };
  }
}

/** The output of a displayed command up to an offset; what the spool does not have is left out. */
async function readSpooled(
  spool: TerminalSpool | undefined,
  uri: string,
  endOffset: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; offset < endOffset;) {
    const slice = await spool?.read(uri, offset, endOffset - offset);
    if (slice === undefined || slice.bytes.length === 0) break;
    pieces.push(slice.bytes);
    offset = slice.endOffset;
  }
  return Buffer.concat(pieces).subarray(0, endOffset);
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
