// Report of an agent trial for people: command, handshake, capabilities, stderr and the problem.
import { quote, safeText } from "../safe-text.ts";
import type { Paint } from "../console.ts";
import type { AgentTrial, TrialTimings } from "./agent-trial.ts";

type Row = readonly [name: string, value: string];

const nameWidth = 14;

export function trialLines(trial: AgentTrial, paint: Paint): string[] {
  const { agent, version, stderr, problem } = trial;
  const title = `${agent.label} (${agent.id})${version === null ? "" : `, version ${version}`}`;
  const rows = [...commandRows(trial), ...handshakeRows(trial), ...sessionRows(trial)];
  return [
    paint.bold(safeText(title)),
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(nameWidth))}${safeText(value)}`),
    ...(stderr.length === 0
      ? []
      : [`  ${paint.dim("stderr")}`, ...stderr.map((line) => `    ${safeText(line)}`)]),
    "",
    ...(problem === undefined
      ? [`${paint.green("ok")}  Ready to use.`]
      : [
          `${paint.red("fix")}  ${safeText(problem.message)}`,
          ...(problem.remedy === undefined ? [] : [`     ${safeText(problem.remedy)}`]),
          ...(problem.command === undefined ? [] : [`     ${paint.blue(`$ ${safeText(problem.command)}`)}`]),
        ]),
  ];
}

function commandRows({ command, timings }: AgentTrial): Row[] {
  if (command.length === 0) return [];
  return [
    ["command", command.map(quote).join(" ")],
    ["timings", describeTimings(timings)],
  ];
}

function describeTimings({ startMs, initializeMs, newSessionMs }: Readonly<TrialTimings>): string {
  const steps: [string, number | undefined][] = [
    ["start", startMs],
    ["initialize", initializeMs],
    ["session/new", newSessionMs],
  ];
  return steps.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${ms} ms`])).join(", ");
}

function handshakeRows({ handshake }: AgentTrial): Row[] {
  if (handshake === undefined) return [];
  const { protocolVersion, agentInfo, agentCapabilities = {}, authMethods = [] } = handshake;
  const says = [agentInfo?.title ?? agentInfo?.name, agentInfo?.version].filter((each) => each !== undefined);
  const methods = authMethods.map(({ id, name }) => `${name} (${id})`).join(", ");
  return [
    ["protocol", `ACP ${protocolVersion}`],
    ["calls itself", says.length === 0 ? "nothing" : says.join(" ")],
    ["capabilities", listCapabilities(agentCapabilities).join(", ") || "none"],
    ["sign-in", methods === "" ? "not needed" : methods],
  ];
}

/** What is offered, as paths: a leaf that is false or missing is not; an empty object is. */
function listCapabilities(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === "_meta" || inner === false || inner === null || inner === undefined) return [];
    const path = `${prefix}${name}`;
    if (typeof inner !== "object" || Array.isArray(inner) || Object.keys(inner).length === 0) return [path];
    return listCapabilities(inner, `${path}.`);
  });
}

function sessionRows({ session }: AgentTrial): Row[] {
  if (session === undefined) return [];
  const { modes, models, configOptions, commands } = session;
  const rows: Row[] = [
    ["modes", (modes?.availableModes ?? []).map(({ id }) => marked(id, modes?.currentModeId)).join(", ")],
    [
      "models",
      (models?.availableModels ?? [])
        .map(({ modelId }) => marked(modelId, models?.currentModelId))
        .join(", "),
    ],
    [
      "options",
      (configOptions ?? []).map(({ id, currentValue }) => `${id}=${String(currentValue)}`).join(", "),
    ],
    ["commands", commands.map((name) => `/${name}`).join(" ")],
  ];
  return rows.map(([name, value]): Row => [name, value === "" ? "none" : value]);
}

/** The one that is chosen has a star. */
function marked(id: string, current: string | undefined): string {
  return id === current ? `${id}*` : id;
}
