// What the host remembers of a client: who it is, what it said and what became of it, and where it stood when it left.
import type { ClientId } from "@holdfast/ahp";
import type { Dialect } from "@holdfast/ahp/dialects";
import type { Submission } from "@holdfast/core";
import type { ChannelView } from "./channel-view.ts";

/** What became of an action, or will. */
export type Outcome = Submission | Promise<Submission>;

/** How many outcomes are remembered; a client sends far fewer again. */
const maxOutcomes = 1024;

/** What a client calls itself, as far as it does. */
export interface ClientInfo {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly version?: string | undefined;
}

/** What a client left behind when its connection was lost. */
export interface LeftBehind {
  /** The channels that it followed, in their views, which are held for it. */
  readonly views: readonly ChannelView[];
  /** From which number on it has seen each of them whole: of a terminal, no log tells what came before. */
  readonly wholeSince: ReadonlyMap<string, number>;
}

/** A client from its `initialize` on, over all its connections. */
export class ClientRecord {
  readonly clientId: ClientId;
  /** Names the credential that it came with: nobody else speaks for it. */
  readonly principal: string;
  readonly dialect: Dialect;
  readonly info: ClientInfo;
  left: LeftBehind | undefined;
  readonly #outcomes = new Map<number, Outcome>();
  #forgottenSeq = -1;

  constructor(clientId: ClientId, principal: string, dialect: Dialect, info: ClientInfo = {}) {
    this.clientId = clientId;
    this.principal = principal;
    this.dialect = dialect;
    this.info = info;
  }

  /** What became of an action that was sent before; `"forgotten"` when that is too long ago (E72). */
  outcomeOf(clientSeq: number): Outcome | "forgotten" | undefined {
    return this.#outcomes.get(clientSeq) ?? (clientSeq <= this.#forgottenSeq ? "forgotten" : undefined);
  }

  /** Remembers what becomes of an action. */
  note(clientSeq: number, outcome: Outcome): void {
    this.#outcomes.set(clientSeq, outcome);
    if (outcome instanceof Promise) {
      void outcome.then((settled) => {
        if (this.#outcomes.get(clientSeq) === outcome) this.#outcomes.set(clientSeq, settled);
      });
    }
    if (this.#outcomes.size <= maxOutcomes) return;
    const [oldest] = this.#outcomes.keys();
    if (oldest === undefined) return;
    this.#outcomes.delete(oldest);
    this.#forgottenSeq = Math.max(this.#forgottenSeq, oldest);
  }
}
