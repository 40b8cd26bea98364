// Finds optional calls whose arguments change something: without a callee the change does not happen.
import { parse, type SourceFile } from "./source-file.ts";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const mutatingMethods = new Set([
  "shift",
  "pop",
  "push",
  "unshift",
  "splice",
  "fill",
  "sort",
  "reverse",
  "copyWithin",
  "delete",
  "clear",
  "add",
  "set",
  "next",
  "return",
  "read",
  "take",
]);
const changes = new Set(["UpdateExpression", "AssignmentExpression", "YieldExpression"]);

/** Lines of calls that `?.` may skip, together with a change that their arguments would have made. */
export function skippableChanges(file: SourceFile): number[] {
  const { text } = file;
  if (!text.includes("?.")) return [];
  const found: number[] = [];
  visit(parse(file).program.body, (node) => {
    if (node.type !== "CallExpression" || !isSkippable(node)) return;
    if (hasChange(node["arguments"])) found.push(text.slice(0, node.start).split("\n").length);
  });
  return found;
}

/** Whether a `?.` stands in the call itself or to the left of it. */
function isSkippable(node: Node): boolean {
  if (node["optional"] === true) return true;
  const left = node["callee"] ?? node["object"];
  return isNode(left) && isSkippable(left);
}

/** Whether evaluating it changes something; what stands in a function is evaluated elsewhere. */
function hasChange(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasChange);
  if (!isNode(value) || /Function/.test(value.type)) return false;
  if (changes.has(value.type)) return true;
  if (value.type === "UnaryExpression" && value["operator"] === "delete") return true;
  if (value.type === "CallExpression" && mutatingMethods.has(methodName(value["callee"]))) return true;
  return Object.values(value).some(hasChange);
}

function methodName(callee: unknown): string {
  if (!isNode(callee) || callee.type !== "MemberExpression") return "";
  const { property } = callee;
  return isNode(property) && typeof property["name"] === "string" ? property["name"] : "";
}

function visit(value: unknown, act: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) visit(each, act);
  } else if (typeof value === "object" && value !== null) {
    if (isNode(value)) act(value);
    for (const each of Object.values(value)) visit(each, act);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
