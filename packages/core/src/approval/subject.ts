// The subject of an approval: the command, the write or the read that an agent asks about, or is about to do.
import { resolve } from "node:path";
import {
  type ApprovalSubject,
  type CommandSubject,
  type EnvironmentChange,
  isJsonObject,
  type JsonValue,
  type SubjectFile,
  type ToolContent,
  type ToolLocation,
} from "@holdfast/ahp";
import { resolveCommand, type WantedTerminal } from "@holdfast/terminal/acp-parts";
import { parseShellLine } from "@holdfast/terminal/policy";
import type { ProcessPort } from "@holdfast/terminal/port";
import { describeEditor } from "../editor/editors.ts";
import type { ResolvedFile } from "../resource/files.ts";
import { followLinks } from "../resource/links.ts";
import { lineOf, normalizeLine } from "./command-line.ts";
import { diffTexts } from "./subject-diff.ts";

/** An agent's description of a tool call that it asks about. */
export interface DescribedCall {
  readonly kind: string | undefined;
  readonly title: string;
  readonly locations: readonly ToolLocation[];
  readonly content: readonly ToolContent[];
  readonly rawInput: JsonValue | undefined;
}

/** The usual circumstances of a session's commands. */
export interface UsualRun {
  /** Where commands run that name no folder. */
  readonly cwd: string;
  readonly processPort: Pick<ProcessPort, "buildEnvironment">;
  /** Variables with the values that the agent may set without a word. */
  readonly harmless: Readonly<Record<string, readonly string[]>>;
  /** The isolation that they run under; undefined: none. */
  readonly isolation?: string | undefined;
  /** The editor that runs them instead of the host. */
  readonly editor?: string | undefined;
}

/** The isolation of a command that an agent asks to run outside of its session's sandbox, as people read it. */
export const NOT_ISOLATED = "not isolated";

/** The isolation of commands in a session that has none. */
const NO_ISOLATION = "none";

/** A session that is not isolated has no sandbox to leave. */
function isolationOf({ isolation }: Pick<WantedTerminal, "isolation">, usual: UsualRun): string {
  if (usual.editor !== undefined) return describeEditor(usual.editor);
  if (usual.isolation === undefined) return NO_ISOLATION;
  return isolation === "none" ? NOT_ISOLATED : usual.isolation;
}

/** Whether a command is one that would run outside of its session's sandbox, or in an editor. */
export function runsOutside(subject: ApprovalSubject): boolean {
  return subject.kind === "command" && subject.isolation?.startsWith(NOT_ISOLATED) === true;
}

const writeKinds = new Set(["edit", "delete", "move"]);
/** Kinds that neither run commands nor write. */
const otherKinds = new Set(["search", "think", "fetch", "switch_mode"]);

/** More files than this are not shown, and what is not shown is not covered. */
const maxFiles = 100;

/** The subject of a tool call that an agent asks about: what it says, not what it calls it. */
export async function describeCall(call: DescribedCall, usual: UsualRun): Promise<ApprovalSubject> {
  const { kind } = call;
  if (kind !== undefined && otherKinds.has(kind)) return { kind: "other" };
  if (kind === "execute") return describeCommandInput(call, usual);
  if (kind === "read") return { kind: "read", files: await listFiles(call, usual.cwd) };
  if (kind !== undefined && writeKinds.has(kind)) {
    return { kind: "write", files: await listFiles(call, usual.cwd) };
  }
  // `other` and kinds that nobody knows say nothing: only what they describe counts.
  if (readLine(inputOf(call.rawInput)) !== undefined) return describeCommandInput(call, usual);
  const edits = call.content.filter(({ type }) => type === "fileEdit");
  if (edits.length === 0) return { kind: "other" };
  const described = { ...call, locations: [], rawInput: undefined };
  return { kind: "write", files: await listFiles(described, usual.cwd) };
}

/** The subject of a command that an agent runs through the host. */
export async function describeRun(wanted: WantedTerminal, usual: UsualRun): Promise<CommandSubject> {
  const { command, args, cwd, env, kind: run = "text" } = wanted;
  const request = { audience: "agent-command", hasScreen: run === "tty" } as const;
  const [before, after] = await Promise.all([
    usual.processPort.buildEnvironment(request),
    usual.processPort.buildEnvironment({ ...request, variables: env }),
  ]);
  const resolved = resolveProgram(command, args, cwd, after["PATH"]);
  // Without arguments the engine gives a line to a shell, or executes the program of that name.
  const isLine = args.length === 0 && (resolved === undefined || resolved.args.at(-1) === command);
  return {
    kind: "command",
    // A program whose name has blanks is not the line that reads the same.
    line: isLine ? command.trim() : lineOf([command, ...args]),
    ...(resolved !== undefined && { program: resolved.file, args: resolved.args }),
    cwd: await followLinks(cwd),
    environment: listChanges(before, after, usual.harmless),
    run,
    isolation: isolationOf(wanted, usual),
  };
}

/** The subject of a file that an agent writes through the host. */
export function describeWrite(
  file: ResolvedFile,
  before: string | undefined,
  content: string,
): Extract<ApprovalSubject, { kind: "write" }> {
  return { kind: "write", files: [subjectFile(file.path, file.realPath, diffTexts(before ?? "", content))] };
}

/** The subject of a file that an agent reads through the host. */
export function describeRead(file: ResolvedFile): Extract<ApprovalSubject, { kind: "read" }> {
  return { kind: "read", files: [subjectFile(file.path, file.realPath)] };
}

/** The subject in one text; where nothing is known, what the agent calls it. */
export function targetOf(subject: ApprovalSubject, title: string): string {
  switch (subject.kind) {
    case "command":
      return subject.line ?? UNKNOWN_COMMAND;
    case "write":
      return subject.files.length === 0 ? UNKNOWN_FILE : listPaths(subject.files);
    case "read":
      return subject.files.length === 0 ? title : listPaths(subject.files);
    case "other":
      return title;
  }
}

const UNKNOWN_COMMAND = "The agent does not say what it will run";
const UNKNOWN_FILE = "The agent does not say which file it will change";

function listPaths(files: readonly SubjectFile[]): string {
  return files.map(({ path, link }) => (link === undefined ? path : `${path} (${link})`)).join(", ");
}

async function describeCommandInput({ rawInput }: DescribedCall, usual: UsualRun): Promise<CommandSubject> {
  const input = inputOf(rawInput);
  const line = readLine(input);
  const folder = readText(input, ["cwd", "workdir", "working_directory", "workingDirectory", "directory"]);
  const variables = readVariables(readField(input, ["env", "environment"]));
  const before = await usual.processPort.buildEnvironment({ audience: "agent-command", hasScreen: false });
  const after = { ...before, ...Object.fromEntries(variables) };
  const cwd = await followLinks(resolve(usual.cwd, folder ?? "."));
  return {
    kind: "command",
    ...(line !== undefined && { line, ...programOfLine(line, cwd, after["PATH"]) }),
    cwd,
    environment: listChanges(before, after, usual.harmless),
    isolation: isolationOf({}, usual),
  };
}

/** The program of a line that is one simple command; which shell an agent gives other lines to is its own affair. */
function programOfLine(
  line: string,
  cwd: string,
  pathVariable: string | undefined,
): Pick<CommandSubject, "program" | "args"> {
  const { commands, problems, variables } = parseShellLine(normalizeLine(line, cwd));
  const [command, ...others] = commands;
  const words = command?.words.map(({ value }) => value) ?? [];
  const isKnown = words.every((word) => word !== undefined);
  const isSimple = others.length === 0 && problems.length === 0 && variables.size === 0;
  const [name, ...args] = isKnown && isSimple && command?.assignments.length === 0 ? words : [];
  const found = name === undefined ? undefined : resolveProgram(name, args, cwd, pathVariable);
  return found === undefined ? {} : { program: found.file, args: found.args };
}

/** The program that the engine would execute; undefined where it would find none. */
function resolveProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  pathVariable: string | undefined,
): ReturnType<typeof resolveCommand> | undefined {
  try {
    return resolveCommand(command, args, cwd, pathVariable);
  } catch {
    // The engine reports it when it is asked to start the command.
    return undefined;
  }
}

function listChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  harmless: UsualRun["harmless"],
): readonly EnvironmentChange[] {
  return Object.entries(after)
    .filter(([name, value]) => before[name] !== value && !isHarmless(harmless, name, value))
    .map(([name, value]) => ({ name, value }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isHarmless(harmless: UsualRun["harmless"], name: string, value: string): boolean {
  return Object.hasOwn(harmless, name) && harmless[name]?.includes(value) === true;
}

async function listFiles(call: DescribedCall, root: string): Promise<readonly SubjectFile[]> {
  const named = readText(inputOf(call.rawInput), pathNames);
  const edits = new Map(
    call.content.flatMap((content) =>
      content.type === "fileEdit" ? [[resolve(root, content.path), content] as const] : [],
    ),
  );
  const paths = [
    ...edits.keys(),
    ...call.locations.map(({ path }) => path),
    ...(named === undefined ? [] : [named]),
  ];
  const unique = [...new Set(paths.map((path) => resolve(root, path)))].slice(0, maxFiles);
  return Promise.all(
    unique.map(async (path) => {
      const edit = edits.get(path);
      const before = edit?.before?.kind === "text" ? edit.before.text : "";
      const after = edit?.after?.kind === "text" ? edit.after.text : "";
      return describeFile(path, edit && diffTexts(before, after));
    }),
  );
}

const pathNames = ["path", "file_path", "filePath", "abs_path", "absolute_path", "filename"];

async function describeFile(named: string, diff?: SubjectFile["diff"]): Promise<SubjectFile> {
  return subjectFile(named, await followLinks(named), diff);
}

function subjectFile(named: string, path: string, diff?: SubjectFile["diff"]): SubjectFile {
  return { path, ...(path !== named && { link: named }), ...(diff !== undefined && { diff }) };
}

/** The members of a tool's input; some agents send them as a text. */
function inputOf(rawInput: JsonValue | undefined): Readonly<Record<string, unknown>> {
  if (typeof rawInput === "string") {
    try {
      return inputOf(rawInput.startsWith("{") ? (JSON.parse(rawInput) as JsonValue) : undefined);
    } catch {
      // A text that is no JSON says nothing that could be compared.
      return {};
    }
  }
  return isJsonObject(rawInput) ? rawInput : {};
}

/** The line that a tool's input names: as one text, as words, or as a program with arguments. */
function readLine(input: Readonly<Record<string, unknown>>): string | undefined {
  const command = readField(input, ["command", "cmd"]);
  const args = readField(input, ["args", "arguments"]);
  const more = Array.isArray(args) ? (args as unknown[]).map(String) : [];
  if (Array.isArray(command)) {
    const words = [...(command as unknown[]).map(String), ...more];
    return words.length === 0 ? undefined : lineOf(words);
  }
  if (typeof command !== "string" || command.trim() === "") return undefined;
  return more.length === 0 ? command.trim() : lineOf([command, ...more]);
}

function readVariables(value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  if (!Array.isArray(value)) return Object.entries(value).map(([name, text]) => [name, String(text)]);
  return (value as readonly unknown[]).flatMap((variable): [string, string][] => {
    if (typeof variable !== "object" || variable === null) return [];
    const { name, value: text } = variable as { readonly name?: unknown; readonly value?: unknown };
    return typeof name === "string" ? [[name, String(text)]] : [];
  });
}

function readText(input: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  const text = readField(input, names);
  return typeof text === "string" && text !== "" ? text : undefined;
}

function readField(input: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return names.map((name) => input[name]).find((value) => value !== undefined && value !== null);
}
