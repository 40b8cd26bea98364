// The exit codes of the program: scripts may rely on them (C11).

/** How the program can end; `exec` ends with the code of its command instead. */
export const EXIT_CODES = {
  done: 0,
  /** An internal error, or stopped without waiting for running work. */
  fault: 1,
  /** Wrong arguments, configuration or home, or output that cannot be written. */
  setup: 2,
  /** The host cannot listen on the address. */
  address: 3,
  /** No host runs, or it cannot be reached, or it does not respond. */
  unreachable: 4,
  /** The host rejects the credential, or does not allow the request. */
  refused: 5,
  /** There is no such session, terminal, agent or key. */
  missing: 6,
  /** The host rejected the request, or every action of a turn was denied. */
  declined: 7,
  /** `doctor` found a problem. */
  unwell: 8,
  /** The host's event loop hung, and its watchdog ended it. */
  hung: 9,
  /** The database is damaged, missing or empty. */
  damaged: 10,
  /** `audit verify` found a changed or missing entry. */
  auditBroken: 11,
  /** `policy test`: the command would be asked about. */
  asks: 12,
  /** `policy test`: the command would be denied. */
  denies: 13,
  /** A turn ended because the agent ran out of tokens. */
  maxTokens: 20,
  /** A turn ended because the agent reached its limit of model requests. */
  maxTurnRequests: 21,
  /** A turn ended because the model refused. */
  refusal: 22,
  /** A turn failed. */
  turnFailed: 23,
  /** A turn was interrupted because the host stopped. */
  turnInterrupted: 24,
  /** `exec` could not run or follow its command. */
  notRun: 125,
  /** Ctrl-C, or a turn that was cancelled. */
  cancelled: 130,
} as const;
