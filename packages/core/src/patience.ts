// How long the host waits for whom before it goes on without them.

/** The host's patience, in one place so that whoever runs a host can change it. */
export interface Patience {
  /** For an agent's answer to `initialize`, and again to open a session: some load for long when they start cold. */
  readonly handshakeMs: number;
  /** For an agent to take up a session again: with a long history, some take their time. */
  readonly loadMs: number;
  /** For an agent to obey a cancel before its process is ended. */
  readonly cancelMs: number;
  /** Of an agent's silence in a turn before people are told; nothing is killed. */
  readonly silenceMs: number;
  /** For an agent to end by itself once its input has ended: some save their history then. */
  readonly endOfInputMs: number;
  /** Between TERM and KILL for an agent and all it has started. */
  readonly killMs: number;
  /** Of nobody using a session before it rests: its agent is stopped if it can be brought back. */
  readonly idleMs: number;
  /** For a person to answer a permission request; then a reject option is chosen. */
  readonly approvalMs: number;
  /** For a client that is gone to come back for the terminals that it holds, before they are ended. */
  readonly goneClientMs: number;
}

/** What holds where nothing else is asked for. */
export const DEFAULT_PATIENCE: Patience = {
  handshakeMs: 120_000,
  loadMs: 90_000,
  cancelMs: 10_000,
  silenceMs: 120_000,
  endOfInputMs: 2000,
  killMs: 3000,
  idleMs: 5 * 60 * 1000,
  approvalMs: 24 * 60 * 60 * 1000,
  goneClientMs: 60 * 60 * 1000,
};
