// Catalogue entry of each agent, as a table for its page.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  readCatalogue,
  type CatalogueAgent,
  type Launch,
  type ModelChoice,
  type Quirk,
} from "@holdfast/protocol";
import { root } from "./document.ts";
import { code, markdownTable } from "./markdown-table.ts";

const quirkWords: Readonly<Record<Quirk, string>> = {
  "missing-file-reads-as-empty": "it treats a missing file as a failure, so the host returns empty text",
  "ignores-end-of-input":
    "the end of its input does not end it while it works; TERM and KILL follow after two seconds",
  "cannot-load-after-restart":
    "its sessions cannot be resumed by a new process, so its agent is not stopped when idle",
  "needs-terminals": "its commands fail if the client has no terminals; the host always has them",
};

/** The catalogue's agents with the path of each one's page. */
export function agentPages(): { agent: CatalogueAgent; document: string }[] {
  const file = path.join(root, "packages/core/src/agent/catalogue.json");
  const catalogue = readCatalogue(JSON.parse(readFileSync(file, "utf8")));
  if (!catalogue.ok) throw new Error(JSON.stringify(catalogue.problems));
  return catalogue.value.agents.map((agent) => ({ agent, document: `docs/agents/${agent.id}.md` }));
}

/** The facts of one agent. */
export function agentFacts(agent: CatalogueAgent): string {
  const { id, handles, launch, alternatives, auth, model, forwarding, quirks } = agent;
  const variables = Object.entries(launch.env).map(([name, value]) => code(`${name}=${value}`));
  const rows: [string, string][] = [
    ["names", [id, ...handles].filter(isFirst).map(code).join(", ")],
    ["started as", [launch, ...alternatives].map((each) => code(commandLine(each))).join(", else ")],
    ["with the variables", variables.join(", ")],
    ["signed in if one is set", listSignIns(auth).join(", ")],
    ["or if there is", (auth?.files ?? []).map(code).join(", ")],
    ["model chosen by", model.map(describeChoice).join(", else ")],
    ["providers that can be forwarded", Object.keys(forwarding).map(code).join(", ")],
    ["quirks", quirks.map((quirk) => quirkWords[quirk]).join("; ")],
  ];
  return markdownTable(
    ["fact", "value"],
    rows.filter(([, value]) => value !== ""),
  );
}

function listSignIns(auth: CatalogueAgent["auth"]): string[] {
  const sets = auth?.sufficient ?? (auth?.env ?? []).map((name) => [name]);
  return sets.map((names) => names.map(code).join(" with "));
}

function isFirst(name: string, index: number, names: readonly string[]): boolean {
  return names.indexOf(name) === index;
}

function commandLine({ command, args }: Launch): string {
  return [command, ...args].join(" ");
}

function describeChoice(choice: ModelChoice): string {
  switch (choice.by) {
    case "flag":
      return `the option ${code(choice.flag)} at its start`;
    case "env":
      return `the variable ${code(choice.name)} at its start`;
    case "configOption":
      return `its session option ${code(choice.id)}`;
    case "setModel":
      return "the older method `session/set_model`";
  }
}
