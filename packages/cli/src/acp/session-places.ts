// How far an editor has come in each of its sessions, so that the next connection to the host continues there.
import { type Message, membersOf, ownMembers } from "./message.ts";

interface Place {
  /** The last update; undefined before the first. */
  place: string | undefined;
  /** The end of the output that was sent of each terminal, the oldest first. */
  readonly terminals: Map<string, unknown>;
}

/** Terminals of one session whose place is remembered. */
const maxTerminals = 256;

export class SessionPlaces {
  readonly #places = new Map<string, Place>();

  get sessions(): readonly string[] {
    return [...this.#places.keys()];
  }

  /** The cursor to resume a session with; undefined where nothing is known, and it continues from now on. */
  cursor(sessionId: string): object | undefined {
    const known = this.#places.get(sessionId);
    if (known?.place === undefined) return undefined;
    return { place: known.place, terminals: Object.fromEntries(known.terminals) };
  }

  /** A request that opened or left a session was answered. */
  noteResponse(request: Message, response: Message): void {
    if (response.hasError) return;
    const sessionId =
      request.method === "session/new" || request.method === "session/fork"
        ? response.result["sessionId"]
        : request.params["sessionId"];
    if (typeof sessionId !== "string") return;
    switch (request.method) {
      case "session/new":
      case "session/fork":
      case "session/load":
      case "session/resume":
        this.#open(sessionId, ownMembers(response.result)["place"]);
        break;
      case "session/prompt":
        if (!this.#places.has(sessionId)) this.#open(sessionId, undefined);
        break;
      case "session/close":
      case "session/delete":
        this.forget(sessionId);
        break;
      default:
    }
  }

  /** An update was passed on. */
  noteUpdate({ params }: Message): void {
    const { sessionId } = params;
    const { place, terminal, offset } = ownMembers(params);
    if (typeof sessionId !== "string") return;
    const known = this.#places.get(sessionId) ?? this.#open(sessionId, undefined);
    if (typeof place === "string") known.place = place;
    if (typeof terminal !== "string") return;
    known.terminals.delete(terminal);
    known.terminals.set(terminal, offset);
    const [oldest] = known.terminals.keys();
    if (known.terminals.size > maxTerminals && oldest !== undefined) known.terminals.delete(oldest);
  }

  forget(sessionId: string): void {
    this.#places.delete(sessionId);
  }

  #open(sessionId: string, place: unknown): Place {
    const opened = {
      place: typeof place === "string" ? place : undefined,
      terminals: this.#places.get(sessionId)?.terminals ?? new Map<string, unknown>(),
    };
    this.#places.set(sessionId, opened);
    return opened;
  }
}

/** The session that a message is about; undefined for one about none. */
export function sessionOf({ params }: Message): string | undefined {
  const { sessionId } = membersOf(params);
  return typeof sessionId === "string" ? sessionId : undefined;
}
