// `holdfast agents`: which agents the host knows, and whether they can be used; `agents doctor` tries one (C75).
import type { AcpAgentInfo } from "@holdfast/sdk";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { tableLines } from "../console.ts";
import { hostCommand, localCommand, type Runner, wholeNumber } from "./command.ts";

interface AgentsOptions {
  readonly models?: boolean;
}

/** Adds `agents`; without a further word it lists them. */
export function addAgents(program: Command, run: Runner): void {
  const command = hostCommand(program, "agents", "list agents: installed, signed in, models")
    .option("--models", "ask each agent for its models too")
    .action(
      run(async ({ console, host }, { models = false }: AgentsOptions) => {
        const { api } = await host();
        const agents = await api.acpAgent.listAgents({ includeModels: models });
        if (console.json) return console.printJson(agents);
        const { paint } = console;
        const columns = [
          { heading: "AGENT", paint: paint.bold },
          { heading: "STATE" },
          { heading: "SIGN-IN" },
          { heading: "VERSION" },
          { heading: "NAME" },
        ];
        const rows = agents.map(agentRow);
        for (const line of tableLines(columns, rows, paint)) await console.print(line);
        if (!models) return undefined;
        for (const agent of agents) {
          for (const line of modelLines(agent)) await console.print(line);
        }
        return undefined;
      }),
    );
  addDoctor(command, run);
}

function agentRow({ id, label, installed, authReady, version }: AcpAgentInfo): string[] {
  const signIn = installed ? (authReady ? "ready" : "needed") : "-";
  const state = installed ? "installed" : "not installed";
  return [id, state, signIn, version ?? "-", label].map(safeText);
}

function modelLines({ id, installed, models = [], modelError }: AcpAgentInfo): string[] {
  if (!installed) return [];
  const why = modelError ?? "it offers none";
  if (models.length === 0) return ["", `${safeText(id)}: no models, ${safeText(why)}`];
  const lines = models.map((model) => {
    const name = model.name === undefined || model.name === model.id ? "" : `  ${safeText(model.name)}`;
    return `  ${safeText(model.id)}${name}`;
  });
  return ["", `${safeText(id)}:`, ...lines];
}

interface AgentDoctorOptions {
  readonly timeout: number;
  readonly config?: string;
}

const defaultTimeoutSeconds = 60;

function addDoctor(agents: Command, run: Runner): void {
  localCommand(agents, "doctor <agent>", "start an agent and show its handshake, capabilities and stderr")
    .option("--timeout <seconds>", "timeout of each request", wholeNumber(1, 3600), defaultTimeoutSeconds)
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .action(
      run(async ({ console, environment, home }, name: string, { timeout, config }: AgentDoctorOptions) => {
        const { findAgent } = await import("../doctor/agents.ts");
        const { tryAgent } = await import("../doctor/agent-trial.ts");
        const { trialLines } = await import("../doctor/trial-report.ts");
        const { Machine } = await import("../doctor/machine.ts");
        const machine = new Machine({ environment, home, config });
        const progress = console.progress(`Trying ${name}`);
        try {
          const { processPort, configFault } = machine;
          if (configFault !== undefined) throw unusable(configFault);
          const entry = findAgent(machine.config, name);
          const trial = await tryAgent({ entry, processPort, timeoutMs: timeout * 1000 });
          progress.close();
          if (console.json) await console.printJson(trial);
          else for (const line of trialLines(trial, console.paint)) await console.print(line);
          return trial.problem === undefined ? EXIT_CODES.done : EXIT_CODES.unwell;
        } finally {
          progress.close();
          await machine.close();
        }
      }),
    );
}

function unusable(message: string): CommandError {
  return new CommandError("CONFIGURATION_UNUSABLE", message, {
    exitCode: EXIT_CODES.setup,
    remedy: "Fix the settings named above, then run `holdfast config check`.",
  });
}
