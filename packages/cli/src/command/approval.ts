// Pending approvals on the command line: which one a person means, what it would do, and the decision (C51, C52).
import { isAllowing } from "@holdfast/ahp";
import type { AcpSessionStatus, Holdfast, PendingApproval, PermissionOption } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName, shortName } from "../short-name.ts";
import { untilWord } from "../time.ts";
import type { CommandContext } from "./command.ts";
import { meansSession, shortSessionName } from "./session-name.ts";
import { subjectFields } from "./subject.ts";

/** Beginnings shorter than this would match by accident. */
const minPrefixLength = 4;

/** The question that a word means: its id or the beginning of it, or the session in which it is the only one. */
export async function findApproval(api: Holdfast, word: string): Promise<PendingApproval> {
  const waiting = await api.approvals.list();
  const exact = waiting.filter(({ requestId }) => requestId === word);
  const found = exact.length > 0 ? exact : waiting.filter((approval) => isMeant(approval, word));
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError("APPROVAL_NOT_FOUND", `There is no pending approval "${safeText(word)}".`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast approvals` lists the pending ones; another client may have decided it already.",
    });
  }
  if (second === undefined) return first;
  const several = { code: "APPROVAL_AMBIGUOUS", noun: "requests", remedy: "Name one of them." };
  throw ambiguousName(
    several,
    word,
    found.map(({ requestId }) => shortName(requestId)),
  );
}

function isMeant({ requestId, session_key }: PendingApproval, word: string): boolean {
  if (word.length < minPrefixLength) return false;
  return requestId.startsWith(word) || meansSession(word, session_key);
}

interface DecisionRequest {
  readonly decision: "allow" | "reject";
  /** An option's id, name or kind, as the agent offers it. */
  readonly option?: string | undefined;
  /** From now on. */
  readonly always?: boolean | undefined;
  /** Where an answer for always holds. */
  readonly scope?: "session" | "folder" | undefined;
}

/** The option that a wish means; one that is not offered is refused with those that are. */
function chooseOption({ options }: PendingApproval, wish: DecisionRequest): PermissionOption {
  const { decision, option, always = false } = wish;
  const fitting = options.filter(({ kind }) => isAllowing(kind) === (decision === "allow"));
  const chosen =
    option === undefined
      ? fitting.find(({ kind }) => kind === `${decision}_${always ? "always" : "once"}`)
      : fitting.find((offered) => isNamed(offered, option));
  if (chosen !== undefined) return chosen;
  const wanted = option ?? `${decision}_${always ? "always" : "once"}`;
  const names = fitting.map(({ optionId }) => safeText(optionId)).join(", ");
  const advice = names === "" ? "" : ` Choose one of: ${names}.`;
  throw new CommandError("OPTION_NOT_OFFERED", `This request has no option "${safeText(wanted)}".${advice}`, {
    exitCode: EXIT_CODES.setup,
    remedy: "`holdfast approvals` shows what each agent offers.",
  });
}

function isNamed({ optionId, name, kind, agentName }: PermissionOption, word: string): boolean {
  const names = [name, agentName].map((each) => each?.toLowerCase());
  return optionId === word || kind === word || names.includes(word.toLowerCase());
}

/** What would be done and where, line by line, nothing left out. */
export function actionLines(approval: PendingApproval, session: AcpSessionStatus | undefined): string[] {
  const { rawInput, session_key, subject } = approval;
  const sessionName = `${shortSessionName(session_key)} ${safeText(session?.label ?? "")}`.trimEnd();
  const isDescribed = subject?.kind === "command" || subject?.kind === "write";
  return [
    ...subjectFields(approval).flatMap(({ name, text }) => field(name, text)),
    ...(isDescribed || rawInput === undefined ? [] : field("Input", safeText(JSON.stringify(rawInput)))),
    ...field("Session", sessionName),
  ];
}

/** How it can be answered, and until when. */
export function answerLines({ options, expiresAt }: PendingApproval, nowMs: number): string[] {
  const answers = options.map(({ optionId, name }) => `${safeText(optionId)} (${safeText(name)})`);
  return [
    ...field("Answers", answers.join(", ")),
    ...(expiresAt === null ? [] : field("Expires", `in ${untilWord(expiresAt, nowMs)}`)),
  ];
}

/** A name and its lines, the later ones below the first. */
function field(name: string, value: string): string[] {
  const label = `  ${name.padEnd(9)} `;
  const [first = "", ...others] = value.split("\n");
  return [label + first, ...others.map((line) => " ".repeat(label.length) + line)];
}

/** Decides the approval that a word means; the first decision counts, and a later one is an error. */
export async function answerApproval(
  { console, host }: CommandContext,
  word: string,
  wish: DecisionRequest,
): Promise<void> {
  const { api } = await host();
  const approval = await findApproval(api, word);
  const option = chooseOption(approval, wish);
  const sessions = await api.acpAgent.listSessions();
  const session = sessions.find(({ session_key }) => session_key === approval.session_key);
  const { resolved, reason = "Another client decided first." } = await api.approvals.resolve(
    approval,
    option.optionId,
    { ...(wish.scope !== undefined && { scope: wish.scope }) },
  );
  if (!resolved) {
    throw new CommandError("APPROVAL_NOT_TAKEN", `The answer came too late: ${safeText(reason)}`, {
      exitCode: EXIT_CODES.declined,
      remedy: "`holdfast approvals` lists the pending ones.",
    });
  }
  const { requestId, session_key, target } = approval;
  if (console.json) return console.printJson({ requestId, session_key, target, optionId: option.optionId });
  const { paint } = console;
  const heading = wish.decision === "allow" ? paint.green("Allowed") : paint.red("Denied");
  await console.print(`${heading} with "${safeText(option.name)}":`);
  for (const line of actionLines(approval, session)) await console.print(line);
}
