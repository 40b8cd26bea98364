// Terminals for authors of ACP clients: the five methods, and what goes with them.
export {
  AcpTerminals,
  type AcpTerminalsOptions,
  type IsolationOptions,
  type RequestOptions,
} from "./acp-terminals.ts";
export type {
  AcpExitStatus,
  CreateTerminalParams,
  OlderExitStatus,
  TerminalOutputResult,
  TerminalParams,
  WaitForExitResult,
} from "./shapes.ts";
export { type AuditWriter, type AuditWriterOptions, createAuditWriter } from "../audit/audit-writer.ts";
export type { ChainLink } from "../audit/hash-chain.ts";
export type { CommandRequest, TerminalEvent, CommandDecision } from "./terminal-event.ts";
export { DOCUMENTED_LIMITS, TerminalError, type TerminalErrorCode } from "../index.ts";
