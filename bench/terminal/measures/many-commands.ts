// Small commands by the dozen, as an agent's tool calls make them: create, wait, output, release. Its own program.
import { AcpTerminals } from "@holdfast/terminal/acp";
import { serve } from "../isolated.ts";
import { median } from "../statistics.ts";

const sessionId = "many";
const batch = 50;

/** How often, and with how many at once. */
export interface ManyCommandsRequest {
  /** Rounds of fifty commands at once. */
  readonly rounds: number;
  /** Commands of the long row. */
  readonly commands: number;
  readonly concurrency: number;
}

/** Milliseconds for all commands together. */
export interface ManyCommands {
  /** With the start of the host's helper and the look at the login shell in it. */
  readonly firstFiftyMs: number;
  readonly fiftyMs: number;
  readonly rowMs: number;
}

/** Requests that the program handles. */
export type ManyCommandsProgram = typeof program;

const program = serve({
  measureManyCommands: async ({
    rounds,
    commands,
    concurrency,
  }: ManyCommandsRequest): Promise<ManyCommands> => {
    const started = performance.now();
    const terminals = new AcpTerminals();
    await runCommands(terminals, batch, batch);
    const firstFiftyMs = performance.now() - started;
    const fifties: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      fifties.push(await time(() => runCommands(terminals, batch, batch)));
    }
    const rowMs = await time(() => runCommands(terminals, commands, concurrency));
    await terminals.close();
    return {
      firstFiftyMs: Math.round(firstFiftyMs),
      fiftyMs: Math.round(median(fifties)),
      rowMs: Math.round(rowMs),
    };
  },
});

async function time(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function runCommands(terminals: AcpTerminals, commands: number, concurrency: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (; next < commands;) {
      next += 1;
      await runCommand(terminals, `command ${next}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function runCommand(terminals: AcpTerminals, text: string): Promise<void> {
  const { terminalId } = await terminals.createTerminal({ sessionId, command: "echo", args: [text] });
  const params = { sessionId, terminalId };
  const { exitCode } = await terminals.waitForTerminalExit(params);
  const { output } = await terminals.terminalOutput(params);
  await terminals.releaseTerminal(params);
  if (exitCode !== 0 || output !== `${text}\n`) {
    throw new Error(`echo ended with ${exitCode} and ${JSON.stringify(output)}`);
  }
}
