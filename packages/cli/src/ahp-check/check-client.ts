// A client of one version of AHP, as checks use it: hides how the versions name channels.
import { CheckFailure, type Fields, type Heard, type Wire, fieldsOf, itemsOf } from "./wire.ts";

/** The versions that can be checked, oldest first. */
export const CHECKED_VERSIONS = ["0.1.0", "0.5.1", "0.6.0", "0.7.0", "0.8.0", "0.9.0", "1.0.0"] as const;

export type CheckedVersion = (typeof CHECKED_VERSIONS)[number];

/** An action that was heard. */
export interface HeardAction {
  readonly channel: string | undefined;
  readonly action: Fields;
  readonly serverSeq: unknown;
  /** Undefined when the member is absent. */
  readonly origin: unknown;
  readonly rejectionReason: unknown;
}

export interface Snapshot {
  readonly state: Fields;
  readonly fromSeq: number;
}

/** One introduced client. */
export class CheckClient {
  readonly wire: Wire;
  readonly version: CheckedVersion;
  readonly clientId: string;
  readonly #onTerminal: (uri: string) => void;
  #clientSeq = 0;

  /** `onTerminal` gets the URI of each terminal that it creates, so that it is disposed of in the end. */
  constructor(wire: Wire, version: CheckedVersion, clientId: string, onTerminal: (uri: string) => void) {
    this.wire = wire;
    this.#onTerminal = onTerminal;
    this.version = version;
    this.clientId = clientId;
  }

  /** In the first version a request names what it is about, and later a channel. */
  get isSeed(): boolean {
    return this.version === "0.1.0";
  }

  get rootUri(): string {
    return rootUriOf(this.version);
  }

  terminalUri(name: string): string {
    return this.isSeed ? `agenthost:/terminal/${name}` : `ahp-terminal:/${name}`;
  }

  async initialize(): Promise<Fields> {
    const { version, clientId, rootUri } = this;
    const params = { protocolVersions: [version], clientId, initialSubscriptions: [rootUri] };
    return fieldsOf(await this.wire.request("initialize", { ...this.#root(), ...params }));
  }

  ask(
    kind: "subscription" | "terminal" | "session",
    method: string,
    uri: string,
    more: object = {},
  ): Promise<Heard> {
    return this.wire.ask(method, { [this.#field(kind)]: uri, ...more });
  }

  async subscribe(uri: string): Promise<Snapshot> {
    const { result, error } = await this.ask("subscription", "subscribe", uri);
    if (error !== undefined) throw new CheckFailure(`subscribe to ${uri} failed with ${String(error.code)}`);
    const { state, fromSeq } = fieldsOf(fieldsOf(result)["snapshot"]);
    if (typeof fromSeq !== "number") throw new CheckFailure(`the snapshot of ${uri} has no fromSeq`);
    return { state: fieldsOf(state), fromSeq };
  }

  unsubscribe(uri: string): void {
    this.wire.notify("unsubscribe", { [this.#field("subscription")]: uri });
  }

  /** A terminal that this client holds. */
  async createTerminal(uri: string): Promise<unknown> {
    const claim = { kind: "client", clientId: this.clientId };
    const { result, error } = await this.ask("terminal", "createTerminal", uri, { claim, name: "AHP check" });
    if (error !== undefined) {
      throw new CheckFailure(`createTerminal failed with ${String(error.code)}: ${String(error.message)}`);
    }
    this.#onTerminal(uri);
    return result;
  }

  /** Dispatches an action on a terminal; gives its number. */
  dispatch(
    uri: string,
    action: { readonly type: string; readonly [field: string]: unknown },
    clientSeq?: number,
  ): number {
    if (clientSeq === undefined) this.#clientSeq += 1;
    const sent = clientSeq ?? this.#clientSeq;
    const params = this.isSeed
      ? { clientSeq: sent, action: { ...action, terminal: uri } }
      : { channel: uri, clientSeq: sent, action };
    this.wire.notify("dispatchAction", params);
    return sent;
  }

  /** All actions heard from a place on. */
  actions(from = 0): readonly HeardAction[] {
    return this.wire.heard
      .slice(from)
      .flatMap((heard) => (heard.method === "action" ? [readAction(heard.params)] : []));
  }

  /** The first action that fits, heard from a place on or yet to come. */
  async action(
    type: string,
    fits: (heard: HeardAction) => boolean = () => true,
    from = 0,
  ): Promise<HeardAction> {
    const isIt = (heard: Heard): boolean => {
      if (heard.method !== "action") return false;
      const read = readAction(heard.params);
      return read.action["type"] === type && fits(read);
    };
    return readAction((await this.wire.wait(type, isIt, from)).params);
  }

  /** Resolves when a terminal's output from a place on has a text. */
  async output(uri: string, text: string, from = 0): Promise<string> {
    await this.wire.wait(
      `the output ${JSON.stringify(text)}`,
      () => this.outputSince(uri, from).includes(text),
      from,
    );
    return this.outputSince(uri, from);
  }

  outputSince(uri: string, from: number): string {
    return this.actions(from)
      .filter(({ channel, action }) => channel === uri && action["type"] === "terminal/data")
      .map(({ action }) => String(action["data"]))
      .join("");
  }

  #field(kind: "subscription" | "terminal" | "session"): string {
    if (!this.isSeed) return "channel";
    return kind === "subscription" ? "resource" : kind;
  }

  #root(): object {
    return this.isSeed ? {} : { channel: this.rootUri };
  }
}

export function rootUriOf(version: CheckedVersion): string {
  return version === "0.1.0" ? "agenthost:/root" : "ahp-root://";
}

/** Whether a version is another one or later. */
export function isSince(version: CheckedVersion, first: CheckedVersion): boolean {
  return CHECKED_VERSIONS.indexOf(version) >= CHECKED_VERSIONS.indexOf(first);
}

export function readAction(params: Fields): HeardAction {
  const { serverSeq, origin, rejectionReason } = params;
  const action = fieldsOf(params["action"]);
  const channel = params["channel"] ?? action["terminal"] ?? action["session"];
  return {
    channel: typeof channel === "string" ? channel : undefined,
    action,
    serverSeq,
    origin,
    rejectionReason,
  };
}

/** The text that a terminal's state shows. */
export function contentOf(state: Fields): string {
  return itemsOf(state["content"])
    .map(({ value, output = value }) => (typeof output === "string" ? output : ""))
    .join("");
}
