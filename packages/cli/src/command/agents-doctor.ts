// `holdfast agents doctor`: starts an agent and shows what it says of itself, or why it does not (C75).
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { localCommand, wholeNumber, type Runner } from "./command.ts";

interface AgentDoctorOptions {
  readonly timeout: number;
  readonly config?: string;
}

const defaultTimeoutSeconds = 60;

/** Adds `doctor` to the command `agents`. */
export function addAgentsDoctor(program: Command, run: Runner): void {
  const agents = program.commands.find((command) => command.name() === "agents");
  if (agents === undefined) throw new TypeError("`agents doctor` is added after `agents`");
  localCommand(agents, "doctor <agent>", "start an agent, and show its handshake, offers and stderr")
    .option(
      "--timeout <seconds>",
      "how long each of its answers may take",
      wholeNumber(1, 3600),
      defaultTimeoutSeconds,
    )
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .action(
      run(async ({ console, environment, home }, name: string, { timeout, config }: AgentDoctorOptions) => {
        const { findAgent } = await import("../doctor/find-agent.ts");
        const { tryAgent } = await import("../doctor/agent-trial.ts");
        const { trialLines } = await import("../doctor/trial-report.ts");
        const { Surroundings } = await import("../doctor/surroundings.ts");
        const surroundings = new Surroundings({ environment, home, config });
        const progress = console.progress(`Trying ${name}`);
        try {
          const { keeper, configFault } = surroundings;
          if (configFault !== undefined) throw unusable(configFault);
          const entry = findAgent(surroundings.config, name);
          const trial = await tryAgent({ entry, keeper, timeoutMs: timeout * 1000 });
          progress.close();
          if (console.json) await console.printJson(trial);
          else for (const line of trialLines(trial, console.paint)) await console.print(line);
          return trial.problem === undefined ? EXIT_CODES.done : EXIT_CODES.unwell;
        } finally {
          progress.close();
          await surroundings.close();
        }
      }),
    );
}

function unusable(message: string): CommandError {
  return new CommandError("CONFIGURATION_UNUSABLE", message, {
    exitCode: EXIT_CODES.setup,
    remedy: "Mend the places that are named; `holdfast config check` looks again.",
  });
}
