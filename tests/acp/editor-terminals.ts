// Terminals of a test's editor: real commands, with the output that the editor keeps.
import { type ChildProcess, spawn } from "node:child_process";
import type * as acp from "@agentclientprotocol/sdk";

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<acp.WaitForTerminalExitResponse>;
  output: string;
}

export class EditorTerminals {
  /** The requests for commands, in order. */
  readonly created: acp.CreateTerminalRequest[] = [];
  readonly released: string[] = [];
  readonly #running = new Map<string, Running>();

  create(params: acp.CreateTerminalRequest): acp.CreateTerminalResponse {
    const { command, args = [], cwd, env = [] } = params;
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      cwd: cwd ?? undefined,
      env: { ...process.env, ...variables },
      detached: true,
    });
    const exited = new Promise<acp.WaitForTerminalExitResponse>((resolve) => {
      child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
      child.once("error", () => resolve({ exitCode: 127, signal: null }));
    });
    const running: Running = { child, exited, output: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (running.output += chunk.toString()));
    }
    this.created.push(params);
    const terminalId = `own-${this.created.length}`;
    this.#running.set(terminalId, running);
    return { terminalId };
  }

  output({ terminalId }: acp.TerminalOutputRequest): acp.TerminalOutputResponse {
    return { output: this.#find(terminalId).output, truncated: false };
  }

  waitForExit({ terminalId }: acp.WaitForTerminalExitRequest): Promise<acp.WaitForTerminalExitResponse> {
    return this.#find(terminalId).exited;
  }

  kill({ terminalId }: acp.KillTerminalRequest): object {
    end(this.#find(terminalId));
    return {};
  }

  release({ terminalId }: acp.ReleaseTerminalRequest): object {
    this.released.push(terminalId);
    return {};
  }

  close(): void {
    for (const running of this.#running.values()) end(running);
  }

  #find(terminalId: string): Running {
    const running = this.#running.get(terminalId);
    if (running === undefined) throw new Error(`no terminal ${terminalId}`);
    return running;
  }
}

function end({ child: { pid, exitCode, signalCode } }: Running): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGTERM");
}
