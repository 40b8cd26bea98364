// A client of a host's terminals in a test: subscribes, and submits what it asks for, as a transport does.
import { type Action, type ClientId, ROOT_URI, type TerminalUri, makeId } from "@holdfast/ahp";
import type { LogReader } from "../channel/log-reader.ts";
import type { ActionOrigin } from "../channel/log-entry.ts";
import type { Host } from "../host.ts";
import { type NewShell, type Submission, requireAccepted } from "../submit/submission.ts";
import type { TerminalSubscription, TerminalViewer } from "../terminal/terminal-subscriptions.ts";

export type WantedShell = Omit<NewShell, "program"> & {
  readonly clientId: ClientId;
  readonly shell?: NewShell["program"];
};

export class TerminalClient {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  load(uri: string): Promise<boolean> {
    return this.#host.ahp.terminals.load(uri);
  }

  subscribe(uri: string, viewer?: TerminalViewer): TerminalSubscription | undefined {
    return this.#host.ahp.terminals.subscribe(uri, viewer);
  }

  resume(uri: string, afterSeq: number, viewer?: TerminalViewer): LogReader | undefined {
    return this.#host.ahp.terminals.resume(uri, afterSeq, viewer);
  }

  async create({ clientId, shell: program, ...wanted }: WantedShell): Promise<TerminalUri> {
    const actor = { kind: "client", clientId } as const;
    const shell = { ...wanted, program };
    const submission = await this.#host.submit(ROOT_URI, { type: "root/createTerminal", shell }, { actor });
    return makeId("terminal URI", requireAccepted(submission, "INTERNAL").result?.uri ?? "");
  }

  /** Disposes as a client; by default as the one that holds it. */
  async dispose(uri: string, client?: ClientId): Promise<void> {
    const claim = this.#host.hub.state(uri, "terminal")?.claim;
    const holder = claim?.kind === "client" ? claim.clientId : makeId("client", "anyone");
    const clientId = client ?? holder;
    const actor = { kind: "client", clientId } as const;
    const submission = await this.#host.submit(uri, { type: "terminal/dispose" }, { actor });
    requireAccepted(submission, "TERMINAL_NOT_FOUND");
  }

  /** Submits an action that is answered at once, as all actions on terminals are. */
  submit(uri: string, action: Action, origin: ActionOrigin): Submission {
    const actor = { kind: "client", clientId: origin.clientId } as const;
    const submission = this.#host.submit(uri, action, { actor, origin });
    if (submission instanceof Promise) throw new Error(`${action.type} was not answered at once`);
    return submission;
  }

  clientGone(clientId: ClientId): void {
    this.#host.ahp.claims.gone(clientId);
  }

  clientBack(clientId: ClientId): void {
    this.#host.ahp.claims.back(clientId);
  }
}
