// The parts of the ACP adapter that need no process: for a host that has its own approvals and audit.
export { AcpSession, type AcpTerminalOwner, type HoldTerminal } from "./acp/acp-session.ts";
export type { WantedTerminal } from "./acp/create-params.ts";
export { type HeldTerminal, HeldTerminals, type Holder, type SavedHolding } from "./acp/held-terminals.ts";
export type { AcpExitStatus, CreateTerminalParams } from "./acp/shapes.ts";
export {
  CHAIN_START,
  type ChainBreak,
  ChainCheck,
  type ChainedRecord,
  chainHash,
  type ChainLink,
} from "./audit/hash-chain.ts";
export { type Executable, resolveCommand } from "./process/command-line.ts";
export { rpcCodeOf, TerminalError } from "./terminal-error.ts";
export { findSystemProgram } from "./sandbox/system-program.ts";
