// The shapes of ACP's terminal methods, as a client gets and gives them.
import type { ExitStatus } from "../process/port.ts";

/** Name of one terminal of one session. */
export interface TerminalParams {
  readonly sessionId: string;
  readonly terminalId: string;
}

/** `terminal/create`; null stands for absent, and `env` may also be a map. */
export interface CreateTerminalParams {
  readonly sessionId: string;
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
  readonly env?:
    | readonly { readonly name: string; readonly value: string }[]
    | Readonly<Record<string, string>>
    | null
    | undefined;
  readonly cwd?: string | null | undefined;
  readonly outputByteLimit?: number | null | undefined;
  /**
   * `{ holdfast: { tty: true, columns?, rows? } }` asks for a pseudo-terminal, `{ holdfast: { limits: {
   * wallClockSeconds?, outputMebibytes?, memoryMebibytes?, … } } }` for limits of this command.
   */
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/** How a command ended: one of the two is null, or both when its status could not be learned. */
export type AcpExitStatus = ExitStatus;

/** The fields that an older documentation of the class API has inside an exit status. */
export type OlderExitStatus =
  | (AcpExitStatus & { readonly type: "exit_code"; readonly code: number })
  | (AcpExitStatus & { readonly type: "signal"; readonly signal: string });

/** The response to `terminal/output`. */
export interface TerminalOutputResult {
  readonly output: string;
  readonly truncated: boolean;
  /** Only when the command has exited. */
  readonly exitStatus?: AcpExitStatus | OlderExitStatus;
}

/** The response to `terminal/wait_for_exit`. */
export interface WaitForExitResult extends AcpExitStatus {
  /** Only in the older shapes. */
  readonly exitStatus?: AcpExitStatus | OlderExitStatus;
}

/** The response to a wait on a terminal that went on without the agent. */
export const NO_STATUS: AcpExitStatus = { exitCode: null, signal: null };

/** The exit in the protocol's shape, with the older fields where they are wanted. */
export function toExitStatus(
  { exitCode, signal }: AcpExitStatus,
  older: boolean,
): AcpExitStatus | OlderExitStatus {
  if (!older) return { exitCode, signal };
  if (signal !== null) return { exitCode, signal, type: "signal" };
  return exitCode === null ? { exitCode, signal } : { exitCode, signal, type: "exit_code", code: exitCode };
}

const openingBytes = Buffer.from('{"output":');

/** The result of `terminal/output` as ready JSON, around an output that is ready JSON itself. */
export function renderOutputResult(
  text: { readonly output: readonly Uint8Array[]; readonly truncated: boolean },
  exitStatus: AcpExitStatus | undefined,
): Uint8Array[] {
  const tail = JSON.stringify({
    truncated: text.truncated,
    ...(exitStatus !== undefined && { exitStatus }),
  });
  return [openingBytes, ...text.output, Buffer.from(`,${tail.slice(1)}`)];
}
