// The methods of the SDK, read from its sources: what a caller writes, and the first sentence of its comment.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./document.ts";
import { code, markdownTable } from "./markdown-table.ts";

const sources = path.join(root, "packages", "sdk", "src");

/** A member of the client that groups methods, such as `readonly approvals: Approvals;`. */
const group = /^ {2}readonly (\w+): ([A-Z]\w+);$/gm;
/** A public method with its comment. */
const method = /^ {2}\/\*\* ([^\n]+?) \*\/\n {2}(?:async )?\*?([a-z]\w*)\(([^]*?)\)(?:: | \{)/gm;

/** Every method, in the order of the client's members. */
export function sdkMethodTable(): string {
  const client = readFileSync(path.join(sources, "holdfast.ts"), "utf8");
  const rows = [...client.matchAll(group)].flatMap(([, member = "", type = ""]) => {
    const file = new RegExp(`import \\{[^}]*\\b${type}\\b[^}]*\\} from "\\./([^"]+)"`).exec(client)?.[1];
    if (file === undefined) return [];
    const text = readFileSync(path.join(sources, file), "utf8");
    return [...text.matchAll(method)].map(([, comment = "", name = "", parameters = ""]) => [
      code(`${member}.${name}(${parameterNames(parameters)})`),
      comment,
    ]);
  });
  return markdownTable(["method", "what it does"], rows);
}

/** The names alone: what stands in braces is the options that every call takes. */
function parameterNames(parameters: string): string {
  return splitAtTop(parameters)
    .map((parameter) => parameter.trim())
    .filter((parameter) => parameter !== "")
    .map((parameter) => (parameter.startsWith("{") ? describeBraces(parameter) : parameterName(parameter)))
    .join(", ");
}

/** Options that may be left out, or an object whose members are named. */
function describeBraces(parameter: string): string {
  if (parameter.endsWith("= {}")) return "options?";
  return parameter.slice(0, parameter.indexOf("}") + 1);
}

function parameterName(parameter: string): string {
  const [, name = "", optional = ""] = /^(\w+)(\?)?/.exec(parameter) ?? [];
  return `${name}${optional !== "" || parameter.endsWith("= {}") ? "?" : ""}`;
}

/** Splits at commas outside of brackets. */
function splitAtTop(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("([{<".includes(character)) depth += 1;
    if (")]}>".includes(character)) depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}
