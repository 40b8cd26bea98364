// Which waiting question a person means, what it would do, and which of its answers is meant (C51, C52).
import type { AcpSessionStatus, Holdfast, PendingApproval, PermissionOption } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeLines, safeText } from "../safe-text.ts";
import { shortSessionName } from "./session-name.ts";

const shortLength = 8;
/** Beginnings shorter than this would match by accident. */
const minPrefixLength = 4;

/** The name of a question in a list: the beginning of its id. */
export function shortRequestName(requestId: string): string {
  return requestId.slice(0, shortLength);
}

/** The question that a word means: its id or the beginning of it, or the session in which it is the only one. */
export async function findApproval(api: Holdfast, word: string): Promise<PendingApproval> {
  const waiting = await api.approvals.list();
  const exact = waiting.filter(({ requestId }) => requestId === word);
  const found = exact.length > 0 ? exact : waiting.filter((approval) => isMeant(approval, word));
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError("APPROVAL_NOT_FOUND", `No agent waits for an answer to "${safeText(word)}".`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast approvals` lists what waits; somebody else may have answered already.",
    });
  }
  if (second === undefined) return first;
  const names = found.map(({ requestId }) => shortRequestName(requestId)).join(", ");
  throw new CommandError(
    "APPROVAL_AMBIGUOUS",
    `"${safeText(word)}" may mean ${found.length} questions: ${names}.`,
    {
      exitCode: EXIT_CODES.setup,
      remedy: "Name one of them.",
    },
  );
}

function isMeant({ requestId, session_key }: PendingApproval, word: string): boolean {
  if (word === session_key) return true;
  if (word.length < minPrefixLength) return false;
  const uuid = session_key.split(":").at(-1) ?? "";
  return requestId.startsWith(word) || session_key.startsWith(word) || uuid.startsWith(word.toLowerCase());
}

/** Which answer is wanted. */
export interface AnswerWish {
  readonly verdict: "allow" | "reject";
  /** An option's id, name or kind, as the agent offers it. */
  readonly option?: string | undefined;
  /** For this and everything like it. */
  readonly always?: boolean | undefined;
}

/** The option that a wish means; one that is not offered is refused with those that are. */
export function chooseOption({ options }: PendingApproval, wish: AnswerWish): PermissionOption {
  const { verdict, option, always = false } = wish;
  const fitting = options.filter(({ kind }) => kind.startsWith(`${verdict}_`));
  const chosen =
    option === undefined
      ? fitting.find(({ kind }) => kind === `${verdict}_${always ? "always" : "once"}`)
      : fitting.find((offered) => isNamed(offered, option));
  if (chosen !== undefined) return chosen;
  const wanted =
    option === undefined ? `an answer for ${always ? "always" : "once"}` : `"${safeText(option)}"`;
  const names = fitting.map(({ optionId }) => safeText(optionId)).join(", ");
  throw new CommandError(
    "OPTION_NOT_OFFERED",
    `The agent does not offer ${wanted}; it offers ${names === "" ? "no such answer" : names}.`,
    { exitCode: EXIT_CODES.setup, remedy: "`holdfast approvals` shows what each agent offers." },
  );
}

function isNamed({ optionId, name, kind }: PermissionOption, word: string): boolean {
  return optionId === word || kind === word || name.toLowerCase() === word.toLowerCase();
}

/** What would be done and where, line by line, nothing left out. */
export function deedLines(approval: PendingApproval, session: AcpSessionStatus | undefined): string[] {
  const { action, target, title, rawInput, session_key } = approval;
  const { command, cwd, ...others } = membersOf(rawInput);
  const folder = typeof cwd === "string" ? cwd : session?.runtime_options.cwd;
  // What the lines above it say already is not repeated; anything else is shown as it is.
  const input = {
    ...(command !== undefined && command !== target && { command }),
    ...(cwd !== undefined && cwd !== folder && { cwd }),
    ...others,
  };
  const sessionName = `${shortSessionName(session_key)} ${safeText(session?.label ?? "")}`.trimEnd();
  return [
    ...field(action === "execute" ? "Runs" : safeText(action), safeLines(target)),
    ...(folder === undefined ? [] : field("In", safeText(folder))),
    ...(title === undefined || title === target ? [] : field("Title", safeText(title))),
    ...(Object.keys(input).length === 0 ? [] : field("Input", safeText(JSON.stringify(input)))),
    ...field("Session", sessionName),
  ];
}

/** How it can be answered, and until when. */
export function answerLines({ options, expiresAt }: PendingApproval): string[] {
  const answers = options.map(({ optionId, name }) => `${safeText(optionId)} (${safeText(name)})`);
  return [
    ...field("Answers", answers.join(", ")),
    ...(expiresAt === null ? [] : field("Expires", expiresAt)),
  ];
}

/** A name and its lines, the later ones below the first. */
function field(name: string, value: string): string[] {
  const label = `  ${name.padEnd(8)} `;
  const [first = "", ...others] = value.split("\n");
  return [label + first, ...others.map((line) => " ".repeat(label.length) + line)];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : { ...(value !== undefined && { value }) };
}
