// The terminal engine as a library: commands without a lost byte or a leaked process.
export { TerminalEngine, type TerminalEngineOptions, type TerminalRequest } from "./engine.ts";
export {
  type Audience,
  DOCUMENTED_LIMITS,
  type FiredLimit,
  type IsolationBackend,
  type IsolationReport,
  type LimitBackend,
  type LimitLevel,
  type LimitName,
  type LimitScope,
  type LimitsInForce,
  type RequestVariables,
  type RunLimits,
  type Sandbox,
  type SandboxSpec,
  type ScreenSize,
  type TreeChoice,
  type TreeMechanism,
  type TreeProcess,
} from "./process/index.ts";
export { TerminalError, type TerminalErrorCode } from "./terminal-error.ts";
export type { Terminal, TerminalExit, TerminalState } from "./terminal.ts";
export type { ByteBatch, ByteSubscription } from "./view/index.ts";
