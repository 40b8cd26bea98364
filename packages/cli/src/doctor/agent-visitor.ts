// What an agent gets from a trial when it asks for something: nothing; and what it tells: its commands.
import type { AcpUpdate, AgentServices } from "@holdfast/core";

/** The commands that an agent tells of, once it does. */
export class OfferedCommands {
  readonly arrived: Promise<void>;
  names: readonly string[] = [];
  #arrive: () => void = () => {};

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  /** Takes what an update says of commands; any other says nothing of them. */
  hear(update: AcpUpdate): void {
    if (update.sessionUpdate !== "available_commands_update") return;
    const commands = update["availableCommands"];
    if (!Array.isArray(commands)) return;
    this.names = commands.flatMap((each: { name?: unknown } | null) =>
      typeof each?.name === "string" ? [each.name] : [],
    );
    this.#arrive();
  }
}

/** Nobody has asked the agent to do anything, so whatever it wants to do is refused. */
export function unattendedServices(commands: OfferedCommands): AgentServices {
  const refuse = (): never => {
    throw new Error("This is a trial: nothing is read, written or run");
  };
  return {
    update: (update) => commands.hear(update),
    updateText: () => undefined,
    warn: () => undefined,
    requestPermission: refuse,
    readFile: refuse,
    writeFile: refuse,
    createTerminal: refuse,
    terminalOutput: refuse,
    waitForTerminalExit: refuse,
    killTerminal: refuse,
    releaseTerminal: refuse,
    elicit: refuse,
  };
}
