// The parts of documents that are made from code: each with the document that holds it.
import { agentFacts, agentPages } from "./agent-facts.ts";
import { missingFromAhp } from "./ahp-table.ts";
import { commandReference, exitCodeTable } from "./command-reference.ts";
import { configurationTable, errorTable, operationTable } from "./protocol-table.ts";
import { packageRules } from "../repository/package-rules.ts";
import { code, markdownTable } from "./markdown-table.ts";
import { sdkMethodTable } from "./sdk-method-table.ts";

/** A part of a document that nobody writes by hand. */
export interface GeneratedTable {
  readonly name: string;
  /** The path of the document. */
  readonly document: string;
  readonly write: () => string;
}

/** All of them. */
export const generatedTables: readonly GeneratedTable[] = [
  { name: "packages", document: "ARCHITECTURE.md", write: packageTable },
  { name: "operations", document: "docs/app-api.md", write: operationTable },
  { name: "commands", document: "docs/command-line.md", write: commandReference },
  { name: "exit codes", document: "docs/command-line.md", write: exitCodeTable },
  { name: "settings", document: "docs/operations.md", write: configurationTable },
  { name: "error numbers", document: "docs/troubleshooting.md", write: errorTable },
  { name: "missing from ahp", document: "docs/ahp.md", write: missingFromAhp },
  { name: "sdk methods", document: "packages/sdk/README.md", write: sdkMethodTable },
  { name: "sdk methods", document: "docs/sdk.md", write: sdkMethodTable },
  ...agentPages().map(({ agent, document }) => ({
    name: "facts",
    document,
    write: () => agentFacts(agent),
  })),
];

/** The contents of each package, and which others it may use. */
function packageTable(): string {
  const rows = Object.entries(packageRules).map(([name, { contents, uses, usesTypesOf = [] }]) => {
    const used = [...uses, ...usesTypesOf.map((each) => `${each} (types)`)];
    return [code(name), contents, used.length === 0 ? "–" : used.join(", ")];
  });
  return markdownTable(["package", "contents", "may use"], rows);
}
