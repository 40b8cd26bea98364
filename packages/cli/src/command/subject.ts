// The subject of an approval on the command line: what would run or change, who runs it, and what the agent calls it.
import type { PendingApproval } from "@holdfast/sdk";
import { safeLines, safeText } from "../safe-text.ts";
import { count } from "../plural.ts";

/** The members of a request that say what it is about. */
export type Described = Pick<
  PendingApproval,
  "action" | "target" | "title" | "rawInput" | "subject" | "source" | "agentTitle"
>;

/** One thing that a person should know before a decision; nothing in the text steers the terminal. */
export interface SubjectField {
  readonly name: string;
  readonly text: string;
}

/** Lines of one side of a change; a file's whole text would push the question off the screen. */
const maxDiffLines = 20;

/** The fields of a request, in the order in which they matter. */
export function subjectFields(request: Described): SubjectField[] {
  const { action, target, subject, source, agentTitle, title = "" } = request;
  const words = agentTitle ?? title;
  const known = subject === undefined ? [] : fieldsOf(subject);
  const main = known.length > 0 ? known : [{ name: safeText(action), text: safeLines(target) }];
  return [
    ...main,
    ...(source === undefined ? [] : [{ name: "By", text: sourceText(source) }]),
    ...(words === "" || words === target ? [] : [{ name: "Agent", text: `says: ${safeLines(words)}` }]),
  ];
}

function sourceText(source: "host" | "agent"): string {
  return source === "host"
    ? "the host, which enforces your decision"
    : "the agent itself; reported by the agent";
}

function fieldsOf(subject: NonNullable<Described["subject"]>): SubjectField[] {
  switch (subject.kind) {
    case "command": {
      const { line, cwd, environment, program, isolation } = subject;
      const changes = environment.map(({ name, value }) =>
        value === undefined ? `${name} unset` : `${name}=${value}`,
      );
      return [
        { name: "Runs", text: safeLines(line ?? "The agent does not say what it will run") },
        { name: "In", text: safeText(cwd) },
        ...changes.map((change) => ({ name: "With", text: safeText(change) })),
        ...(program === undefined ? [] : [{ name: "Program", text: safeText(program) }]),
        ...(isolation === undefined ? [] : [{ name: "Isolation", text: safeText(isolation) }]),
      ];
    }
    case "write":
      if (subject.files.length > 0) return subject.files.flatMap((file) => fileFields("Writes", file));
      return [{ name: "Writes", text: "The agent does not say which file it will change" }];
    case "read":
      return subject.files.flatMap((file) => fileFields("Reads", file));
    case "other":
      return [];
  }
}

type SubjectFile = Extract<NonNullable<Described["subject"]>, { kind: "write" }>["files"][number];

function fileFields(name: string, { path, link, diff }: SubjectFile): SubjectField[] {
  return [
    { name, text: safeText(path) },
    ...(link === undefined ? [] : [{ name: "Named", text: safeText(link) }]),
    ...(diff === undefined ? [] : [{ name: "Change", text: diffText(diff) }]),
  ];
}

function diffText({ line, before, after, omittedChars }: NonNullable<SubjectFile["diff"]>): string {
  return [
    `line ${line}`,
    ...sideLines("-", before),
    ...sideLines("+", after),
    ...(omittedChars === undefined ? [] : [count(omittedChars, "more character")]),
  ].join("\n");
}

function sideLines(mark: string, text: string): string[] {
  if (text === "") return [];
  const lines = safeLines(text).replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, maxDiffLines).map((line) => `${mark} ${line}`);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `${mark} and ${count(more, "more line")}`] : shown;
}
