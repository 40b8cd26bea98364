// The parts of the ACP adapter that need no process: for a host that runs commands by means of its own.
export { type CreateRequest, readCreateParams, type WantedTerminal } from "./acp/create-params.ts";
export { type HeldTerminal, HeldTerminals, type Holder, type Survivor } from "./acp/held-terminals.ts";
export { isInsideRoots } from "./acp/roots.ts";
export {
  type AcpExitStatus,
  type CreateTerminalParams,
  type TerminalParams,
  renderOutputResult,
  toExitStatus,
} from "./acp/shapes.ts";
export { TerminalError } from "./terminal-error.ts";
