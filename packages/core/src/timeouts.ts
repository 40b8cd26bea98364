// Timeouts of the host towards agents, people and clients.

/** Timeouts towards agents, people and clients; a host may override them. */
export interface Timeouts {
  /** For an agent's answer to `initialize`, and again to open a session: some load for long when they start cold. */
  readonly handshakeMs: number;
  /** For an agent's first ACP message, since it last wrote any other text: a program that speaks no ACP waits for ever. */
  readonly firstMessageMs: number;
  /** For agents that are started to ask for their models, before a list of agents goes out without those. */
  readonly modelsMs: number;
  /** For an agent to resume a session: with a long history, some are slow. */
  readonly loadMs: number;
  /** For an agent to obey a cancel before its process is ended. */
  readonly cancelMs: number;
  /** Of an agent's silence in a turn before people are notified; nothing is killed. */
  readonly silenceMs: number;
  /** For an agent to exit once its input has ended: some save their history then. */
  readonly endOfInputMs: number;
  /** Between TERM and KILL for an agent and all it has started. */
  readonly killGraceMs: number;
  /** Without use of a session before it is unloaded: its agent is stopped if it can be resumed. */
  readonly idleMs: number;
  /** For a person to answer a permission request; then a reject option is chosen. */
  readonly approvalMs: number;
  /** For a client that is gone to come back for the terminals that it holds, before they are ended. */
  readonly goneClientMs: number;
  /** For a client that is gone to come back before its terminals return to the size that they were started with. */
  readonly goneSizeMs: number;
  /** For a client to answer a call of a tool that it lends. */
  readonly clientToolMs: number;
  /** For a client that lost its connection to come back while such a call waits for it. */
  readonly awayToolClientMs: number;
}

/** Default timeouts. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  handshakeMs: 120_000,
  firstMessageMs: 10_000,
  modelsMs: 20_000,
  loadMs: 90_000,
  cancelMs: 10_000,
  silenceMs: 120_000,
  endOfInputMs: 2000,
  killGraceMs: 3000,
  idleMs: 5 * 60 * 1000,
  approvalMs: 24 * 60 * 60 * 1000,
  goneClientMs: 60 * 60 * 1000,
  goneSizeMs: 5000,
  clientToolMs: 10 * 60 * 1000,
  awayToolClientMs: 30_000,
};
