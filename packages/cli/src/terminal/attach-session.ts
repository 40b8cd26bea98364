// One person at one terminal of the host: shows it, types into it, and leaves it as a person expects (C37–C42).
import { StringDecoder } from "node:string_decoder";
import {
  defaultChatUri,
  makeId,
  type TerminalClaim,
  type TerminalExit,
  type TerminalState,
} from "@holdfast/ahp";
import type { AhpClient, ChannelEvent, ChannelHandle, TerminalPart } from "@holdfast/ahp/client";
import { OWNER_CLIENT_ID } from "@holdfast/protocol";
import type { Streams } from "../console.ts";
import type { HostLink } from "../link/host-link.ts";
import { shortName } from "../short-name.ts";
import type { DetachKeys } from "./detach-keys.ts";
import { OutputFilter } from "./output-filter.ts";
import { PersonScreen } from "./person-screen.ts";
import { terminalUriOf } from "./terminal-name.ts";

interface AttachOptions {
  readonly link: HostLink;
  /** The terminal's id. */
  readonly id: string;
  readonly streams: Streams;
  readonly keys: DetachKeys;
  readonly isReadOnly: boolean;
  /** Whether the terminal is taken from a client that holds it (U780). */
  readonly takesOver?: boolean;
  /** Whether the command was begun for this very person: it is shown from its first byte, without words of ours. */
  readonly isOwnCommand: boolean;
  /** Whether output may act on the window beyond its screen while the person holds the terminal. */
  readonly trustsOutput?: boolean;
}

export type AttachEnd =
  | { readonly kind: "exited"; readonly exit: TerminalExit }
  | { readonly kind: "detached" }
  /** A signal ended this program. */
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals }
  /** The terminal was taken off the host. */
  | { readonly kind: "gone" };

const leavingSignals = ["SIGTERM", "SIGHUP", "SIGINT"] as const satisfies readonly NodeJS.Signals[];
/** How long leaving waits for the host to take the terminal back. */
const leaveMs = 1000;
const interrupt = "\u0003";
const anotherTypes = "Another client is typing here; you are watching.";

export async function attachTo(options: AttachOptions): Promise<AttachEnd> {
  const session = new AttachSession(options, await options.link.ahp({ waits: true }));
  try {
    return await session.run();
  } finally {
    session.close();
  }
}

type Hold =
  | { readonly kind: "watching" }
  /** `refusal` is the host's answer: why not, or nothing. */
  | { readonly kind: "asking"; readonly refusal: Promise<string | undefined> }
  /** `before` is who held it until then. */
  | { readonly kind: "held"; readonly before: TerminalClaim };

class AttachSession {
  readonly #options: AttachOptions;
  readonly #client: AhpClient;
  readonly #undo: (() => void)[] = [];
  readonly #ended: Promise<AttachEnd>;
  #end: (end: AttachEnd) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  #handle: ChannelHandle<"terminal"> | undefined;
  #screen: PersonScreen | undefined;
  #hold: Hold = { kind: "watching" };
  #isLost = false;
  /** Whether the host is away, or back without having said who holds the terminal. */
  #isAway = false;
  /** Whether the notice of a person who watches is due since the last connection: the holder was not back yet. */
  #owesNotice = false;
  /** Whether this person leaves: nothing is to be said of keys any more. */
  #isOver = false;
  /** Whether a note about lost keys is about to be shown. */
  #hasLostKeys = false;
  #filter = new OutputFilter();

  constructor(options: AttachOptions, client: AhpClient) {
    this.#options = options;
    this.#client = client;
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
  }

  async run(): Promise<AttachEnd> {
    const uri = terminalUriOf(this.#options.id);
    this.#handle = await this.#client.subscribe(uri, "terminal", { onEvent: (event) => this.#take(event) });
    this.#undo.push(() => this.#handle?.close());
    this.#undo.push(this.#options.link.showNotes((line) => this.#screen?.note(`[${line}]`)));
    this.#listen();
    await this.#claimAtFirst(this.#handle);
    const end = await this.#ended;
    this.#isOver = true;
    if (end.kind === "detached" || end.kind === "signal") await this.#leave();
    // An own command that ends leaves its last line as any command does; anything else is followed by a message.
    const isSilent = this.#options.isOwnCommand && end.kind === "exited" && end.exit.kind !== "unknown";
    if (!isSilent) this.#screen?.endLine();
    return end;
  }

  close(): void {
    this.#screen?.close();
    for (const undo of this.#undo.splice(0).toReversed()) undo();
  }

  #listen(): void {
    const { stdin, stdout } = this.#options.streams;
    const decoder = new StringDecoder("utf8");
    const type = (bytes: Buffer): void => this.#type(decoder.write(bytes));
    const resize = (): void => this.#followWindow();
    stdin.on("data", type).resume();
    stdout.on("resize", resize);
    this.#undo.push(
      () => stdin.off("data", type).pause(),
      () => stdout.off("resize", resize),
      this.#client.listen((event) => event.type === "status" && this.#noteConnection()),
    );
    for (const signal of leavingSignals) {
      const leave = (): void => this.#end({ kind: "signal", signal });
      process.on(signal, leave);
      this.#undo.push(() => process.off(signal, leave));
    }
  }

  #take(event: ChannelEvent<"terminal">): void {
    if (event.type === "gone") return this.#end({ kind: "gone" });
    if (event.type === "snapshot") {
      this.#draw(event.state, event.content);
      this.#noteClaim(event.state.claim);
      // While this window was away, the host may have given the terminal another size (U781).
      return this.#resize();
    }
    if (event.type !== "action") return undefined;
    const { action } = event;
    switch (action.type) {
      case "terminal/data":
        return this.#show(action.data);
      case "terminal/cleared":
        return this.#screen?.clear();
      case "terminal/claimed":
        return this.#noteClaim(action.claim);
      case "terminal/exited":
        return this.#end({ kind: "exited", exit: action.exit });
      default:
        return undefined;
    }
  }

  /** Shows everything: at first, and whenever the host could not say what happened meanwhile. */
  #draw({ run, lifecycle }: TerminalState, content: readonly TerminalPart[] = []): void {
    const isFirst = this.#screen === undefined;
    const screen = (this.#screen ??= this.#openScreen(run === "tty"));
    if (!isFirst) screen.clear();
    // Whatever it asked of a terminal was answered before we came.
    this.#filter = new OutputFilter();
    const text = content.map((part) => part.text).join("");
    screen.show(withoutQueries(this.#isTrusted ? text : this.#filter.pushText(text)));
    this.#isLost = false;
    if (lifecycle.status === "exited") this.#end({ kind: "exited", exit: lifecycle.exit });
  }

  #openScreen(isTty: boolean): PersonScreen {
    const { streams, id, keys, isReadOnly, isOwnCommand } = this.#options;
    const screen = new PersonScreen(streams, isTty);
    screen.open();
    if (isOwnCommand) return screen;
    screen.restart();
    const watched = isReadOnly ? ", read-only" : isTty ? "" : ", which takes no input";
    screen.note(`[attached to ${shortName(id)}${watched}; ${keys.name} detaches]`);
    return screen;
  }

  /** Who does not hold a terminal does not answer for it either. */
  #show(data: string): void {
    const shown = this.#isTrusted ? data : this.#filter.pushText(data);
    this.#screen?.show(this.#hold.kind === "held" ? shown : withoutQueries(shown));
  }

  /** Whether output may act on the window: the person's own command, or one that the person holds, if that was asked for. */
  get #isTrusted(): boolean {
    const { trustsOutput = false, isOwnCommand } = this.#options;
    return trustsOutput && (isOwnCommand || this.#hold.kind === "held");
  }

  async #claimAtFirst(handle: ChannelHandle<"terminal">): Promise<void> {
    const { run, lifecycle } = handle.state;
    if (run !== "tty" || lifecycle.status === "exited" || this.#options.isReadOnly) return;
    const { takesOver = false } = this.#options;
    const refusal = await this.#claim(handle, takesOver);
    if (refusal === undefined) return;
    if (this.#isHeldByAnother(handle)) this.#screen?.lastingNote(`[${anotherTypes} ${this.#waysOn}]`);
    else this.#screen?.note(`[watching: ${refusal}]`);
  }

  #isHeldByAnother({ confirmed: { claim } }: ChannelHandle<"terminal">): boolean {
    return claim.kind === "client" && claim.clientId !== this.#options.link.clientId;
  }

  /** Advice for a person who watches (C864). */
  get #waysOn(): string {
    const { keys, id } = this.#options;
    return `${keys.name} leaves; \`holdfast attach --take-over ${shortName(id)}\` takes it over.`;
  }

  /** Takes the terminal over, if the host lets us; gives the reason if not. */
  async #claim(handle: ChannelHandle<"terminal">, takesOver = false): Promise<string | undefined> {
    if (this.#hold.kind === "held") return undefined;
    if (this.#hold.kind === "watching") {
      this.#hold = { kind: "asking", refusal: this.#askFor(handle, takesOver) };
    }
    return this.#hold.refusal;
  }

  async #askFor(handle: ChannelHandle<"terminal">, takesOver: boolean): Promise<string | undefined> {
    const before = handle.confirmed.claim;
    const { clientId } = this.#options.link;
    const outcome = await handle.dispatch({
      type: "terminal/claimed",
      claim: { kind: "client", clientId },
      ...(takesOver && { confirmed: "held" }),
    });
    if (outcome.status !== "confirmed") {
      this.#hold = { kind: "watching" };
      return outcome.status === "rejected" ? outcome.reason : "The connection was lost.";
    }
    this.#hold = { kind: "held", before };
    this.#endNotice();
    this.#resize();
    return undefined;
  }

  #noteClaim(claim: TerminalClaim): void {
    const { clientId } = this.#options.link;
    if (this.#hold.kind !== "held") {
      if (this.#owesNotice) this.#noteWatching(claim);
      if (claim.kind !== "client" || claim.clientId === clientId || claim.goneSince !== undefined) {
        this.#endNotice();
      }
      return;
    }
    if (claim.kind === "client" && claim.clientId === clientId) {
      if (claim.goneSince === undefined) this.#resize();
      return;
    }
    this.#hold = { kind: "watching" };
    // After a reconnection there is one notice, whatever happened meanwhile (C869).
    if (this.#isAway) return;
    this.#screen?.lastingNote(`[Another client took this terminal over; you are watching. ${this.#waysOn}]`);
  }

  /** Says that another client types, if it is there (C869). */
  #noteWatching(claim: TerminalClaim): void {
    const isOthers = claim.kind === "client" && claim.clientId !== this.#options.link.clientId;
    this.#owesNotice = isOthers && claim.goneSince !== undefined;
    if (isOthers && !this.#owesNotice) this.#screen?.lastingNote(`[${anotherTypes} ${this.#waysOn}]`);
  }

  /** No other client types any more; what the notice covered is drawn again. */
  #endNotice(): void {
    if (this.#screen?.endLastingNote() === true) void this.#handle?.refresh();
  }

  #type(data: string): void {
    const { text, isDetach } = this.#options.keys.push(data);
    if (text !== "") this.#input(text);
    if (isDetach) this.#end({ kind: "detached" });
  }

  #input(text: string): void {
    const handle = this.#handle;
    if (handle?.state.run !== "tty") {
      // Nothing here can be interrupted, so the person means to leave.
      if (text.includes(interrupt)) this.#end({ kind: "detached" });
    } else if (this.#hold.kind === "held") {
      void this.#send(handle, text);
    } else if (!this.#options.isReadOnly && !text.startsWith("\u001B")) {
      // What begins with an escape may be the window's own answer and no key.
      void this.#claimAndType(handle, text);
    }
  }

  async #claimAndType(handle: ChannelHandle<"terminal">, text: string): Promise<void> {
    const refusal = await this.#claim(handle);
    if (refusal === undefined) await this.#send(handle, text);
  }

  /** The client sends keys again that a killed host did not confirm, unless they could arrive twice (C850). */
  async #send(handle: ChannelHandle<"terminal">, text: string): Promise<void> {
    const { status } = await handle.dispatch({ type: "terminal/input", data: text });
    const isNews = !this.#isOver && !this.#hasLostKeys && handle.state.lifecycle.status === "running";
    if (status !== "lost" || !isNews) return;
    this.#hasLostKeys = true;
    setImmediate(() => {
      this.#hasLostKeys = false;
      if (this.#isOver) return;
      this.#screen?.note("[the last keys before the connection was lost may not have arrived]");
    });
  }

  /** The window has another size: the terminal gets it, or a full screen that is watched is drawn again (C874). */
  #followWindow(): void {
    if (this.#hold.kind === "held") return this.#resize();
    if (this.#screen?.hasOtherScreen === true) void this.#handle?.refresh();
  }

  #resize(): void {
    const size = this.#screen?.size;
    const known = this.#handle?.state.size;
    if (this.#hold.kind !== "held" || size === undefined) return;
    if (size.cols === known?.cols && size.rows === known.rows) return;
    void this.#handle?.dispatch({ type: "terminal/resized", ...size });
  }

  #noteConnection(): void {
    const { keys } = this.#options;
    const { status } = this.#client;
    if (status.status === "closed") this.#fail(status.cause);
    const isAway = status.status === "not-responding" || status.status === "waiting";
    if (status.status === "not-responding" && !this.#isLost) {
      this.#isLost = true;
      this.#screen?.note(`[the host is not responding; ${keys.name} leaves]`);
    } else if (status.status === "waiting" && !this.#isLost) {
      this.#isLost = true;
      this.#screen?.note(`[connection lost; reconnecting, ${keys.name} leaves]`);
    } else if (status.status === "connected" && this.#isLost) {
      this.#isLost = false;
      this.#screen?.note("[connected again]");
    }
    if (isAway) this.#isAway = true;
    if (status.status === "connected" && this.#isAway) this.#comeBack();
  }

  /** Connected again, and up to date. */
  #comeBack(): void {
    this.#isAway = false;
    const state = this.#handle?.confirmed;
    const isRunning = state?.lifecycle.status === "running" && state.run === "tty";
    if (!isRunning || this.#options.isReadOnly || this.#hold.kind !== "watching") return;
    this.#noteWatching(state.claim);
  }

  /** A session's terminal goes back to it; any other stays free for the next client that attaches. */
  async #leave(): Promise<void> {
    const handle = this.#handle;
    if (this.#hold.kind !== "held" || handle === undefined) return;
    const origin = originOf(this.#hold.before, handle.state);
    this.#hold = { kind: "watching" };
    const give = async (claim: TerminalClaim): Promise<boolean> =>
      (await handle.dispatch({ type: "terminal/claimed", claim })).status === "rejected";
    const leaving = async (): Promise<void> => {
      // A session that was closed meanwhile takes nothing back.
      if (origin !== undefined && !(await give(origin))) return;
      await give({ kind: "client", clientId: makeId("client", OWNER_CLIENT_ID) });
    };
    let bound: NodeJS.Timeout | undefined;
    const bounded = new Promise<void>((resolve) => (bound = setTimeout(resolve, leaveMs)));
    await Promise.race([leaving(), bounded]);
    clearTimeout(bound);
  }
}

/** The session that gets a terminal back: the one that held it, or its own if another client had taken it over. */
function originOf(before: TerminalClaim, { session }: TerminalState): TerminalClaim | undefined {
  if (before.kind === "session") return { kind: "session", session: before.session, chat: before.chat };
  return session === undefined ? undefined : { kind: "session", session, chat: defaultChatUri(session) };
}

/** Status and cursor, device attributes, modes, sizes of the window, keyboard, version, colours, settings, terminfo. */
const queries = new RegExp(
  [
    "\\u001B\\[\\??[56]n",
    "\\u001B\\[[>=]?\\d*c",
    "\\u001B\\[\\??\\d+\\$p",
    "\\u001B\\[(?:1[1-9]|2[01])(?:;\\d+)*t",
    "\\u001B\\[\\?u",
    "\\u001B\\[>\\d*q",
    "\\u001B\\](?:4;\\d+|\\d{2});\\?(?:\\u0007|\\u001B\\\\)",
    "\\u001BP[+$]q[^\\u001B]*\\u001B\\\\",
    "\\u0005",
  ].join("|"),
  "g",
);

/** Old output without its questions. */
export function withoutQueries(output: string): string {
  return output.replaceAll(queries, "");
}
