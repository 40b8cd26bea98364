// What an agent may ask of its session.
import type { RawJson } from "@holdfast/jsonrpc";
import type { AcpPermissionOption, AcpToolCall, AcpUpdate } from "./acp.ts";

/** The parameters that name a session, whatever else is in them. */
export interface OfSession {
  readonly sessionId: string;
}

/** What a session does for its agent. */
export interface AgentServices {
  update(update: AcpUpdate): void;
  /** The same update with another text: an agent's answer comes in many of them. */
  updateText(update: AcpUpdate, text: string): void;
  requestPermission(
    params: OfSession & { toolCall: AcpToolCall; options: readonly AcpPermissionOption[] },
    signal: AbortSignal,
  ): Promise<object>;
  readFile(
    params: OfSession & { path: string; line?: number | null; limit?: number | null },
    signal: AbortSignal,
  ): Promise<object>;
  writeFile(params: OfSession & { path: string; content: string }, signal: AbortSignal): Promise<object>;
  createTerminal(params: OfSession, signal: AbortSignal): Promise<object>;
  terminalOutput(params: OfSession & { terminalId: string }): RawJson;
  waitForTerminalExit(params: OfSession & { terminalId: string }, signal: AbortSignal): Promise<object>;
  killTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  releaseTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  elicit(
    params: Partial<OfSession> & Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<object>;
  /** Something odd that is worth a line in the log. */
  warn(message: string): void;
}
