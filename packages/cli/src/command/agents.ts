// `holdfast agents`: which agents the host knows, and whether they can be used.
import type { AcpAgentInfo } from "@holdfast/sdk";
import type { Command } from "commander";
import { tableLines } from "../table.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";

interface AgentsOptions {
  readonly models?: boolean;
}

/** Adds `agents`; without a further word it lists them. */
export function addAgents(program: Command, run: Runner): void {
  hostCommand(program, "agents", "list the agents: installed, signed in, their models")
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
