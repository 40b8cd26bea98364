// `holdfast run`: gives an agent a prompt and shows what it makes of it (C22–C28).
import path from "node:path";
import { APPROVAL_POLICIES, parseSessionKey, type ApprovalPolicy } from "@holdfast/protocol";
import { HoldfastError, type AcpSession, type Holdfast } from "@holdfast/sdk";
import { Option, type Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { hold } from "./chat.ts";
import { hostCommand, type AddCommand, type CommandContext } from "./command.ts";
import { Conversation } from "./conversation.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";
import { readAttachments } from "./turn/attachment.ts";
import { readPrompt } from "./turn/prompt-words.ts";
import { turnExitCode, turnFailure, type TurnEnd } from "./turn/turn-end.ts";

interface RunOptions {
  readonly cwd?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly policy?: ApprovalPolicy;
  readonly title?: string;
  readonly session?: string;
  readonly attach: readonly string[];
  readonly queue?: boolean;
  readonly close?: boolean;
  readonly cancelOnExit?: boolean;
}

/** Adds the command. */
export const addRun: AddCommand = (program, run) => {
  withOptions(
    hostCommand(
      program,
      "run <agent> [prompt...]",
      "give an agent a prompt and show its answer; - reads stdin",
    ),
  ).action(run(work));
};

function withOptions(command: Command): Command {
  return command
    .option("--cwd <folder>", "where the agent works (default: here)")
    .option("--model <id>", "the model, in the agent's own words")
    .option("--mode <id>", "the agent's mode")
    .addOption(
      new Option("--policy <policy>", "answers what the agent asks (default: you are asked)").choices(
        APPROVAL_POLICIES,
      ),
    )
    .option("--title <text>", "a name for the new session")
    .option("--session <session>", "go on in this session instead of a new one")
    .option("--queue", "wait behind the turn that runs there instead of being refused")
    .option("--attach <file>", "a picture or another file for the agent; may be repeated", collect, [])
    .option("--close", "close the session afterwards")
    .option("--cancel-on-exit", "cancel the turn also when this program is ended by SIGTERM or SIGHUP");
}

async function work(
  context: CommandContext,
  agent: string,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  const { console } = context;
  const message = await readPrompt(words, console);
  const attachments = readAttachments(options.attach, context.cwd);
  const wantsChat = message === undefined && attachments.length === 0;
  if ((wantsChat && !console.canAsk) || (message === "" && attachments.length === 0)) throw noPrompt();
  const link = await context.host();
  const isNew = options.session === undefined;
  const session = isNew
    ? await begin(context, link.api, agent, options)
    : await goOn(link.api, agent, options.session ?? "", options);
  const { session_key: sessionKey } = session;
  if (console.json) await console.printJson({ type: "session", data: session });
  const { cancelOnExit, queue } = options;
  const conversation = new Conversation({ link, console, sessionKey, cancelOnExit });
  if (wantsChat) return hold(context, conversation);
  const end = await sendFirst(conversation, link.api, { isNew, message: message ?? "", attachments, queue });
  await takeLeave(context, link.api, sessionKey, end, options.close === true);
  const failure = turnFailure(end);
  if (failure !== undefined) throw failure;
  return turnExitCode(end);
}

async function begin(
  { console, cwd }: CommandContext,
  api: Holdfast,
  agent: string,
  options: RunOptions,
): Promise<AcpSession> {
  const { model, policy, title, mode } = options;
  const progress = console.progress(`Starting ${agent}`);
  try {
    const session = await api.acpAgent.createSession({
      agent_id: agent,
      cwd: path.resolve(cwd, options.cwd ?? "."),
      ...(title !== undefined && { label: title }),
      ...(model !== undefined && { model }),
      ...(policy !== undefined && { approvalPolicy: policy }),
    });
    if (mode !== undefined) await api.acpAgent.patchSession(session.session_key, { runtimeMode: mode });
    return session;
  } finally {
    progress.close();
  }
}

/** A session that is there, with what was said of it from now on. */
async function goOn(api: Holdfast, agent: string, word: string, options: RunOptions): Promise<AcpSession> {
  const { cwd, model, mode, policy, title } = options;
  if (title !== undefined) throw wrong("--title names a new session, and --session goes on in an old one.");
  const sessionKey = await resolveSession(api, word);
  const session = await api.acpAgent.getSession(sessionKey);
  const { agent_id } = session;
  if (agent !== agent_id && agent !== parseSessionKey(sessionKey)?.handle) {
    throw wrong(`Session ${shortSessionName(sessionKey)} is one with ${agent_id}, not with ${agent}.`);
  }
  const patch = {
    ...(cwd !== undefined && { cwd: path.resolve(cwd) }),
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { runtimeMode: mode }),
    ...(policy !== undefined && { approvalPolicy: policy }),
  };
  if (Object.keys(patch).length > 0) await api.acpAgent.patchSession(sessionKey, patch);
  return session;
}

interface FirstMessage {
  readonly isNew: boolean;
  readonly message: string;
  readonly attachments: ReturnType<typeof readAttachments>;
  readonly queue: boolean | undefined;
}

/** A new session whose only message is refused is of no use to anybody. */
async function sendFirst(conversation: Conversation, api: Holdfast, first: FirstMessage): Promise<TurnEnd> {
  const { isNew, message, attachments, queue } = first;
  try {
    return await conversation.send(message, { attachments, queue });
  } catch (error) {
    const { status = 0 } = error instanceof HoldfastError ? error : {};
    const isUseless = isNew && status >= 400 && status < 500;
    if (isUseless) await api.acpAgent.closeSession(conversation.sessionKey, undefined, { purge: true });
    throw error;
  }
}

async function takeLeave(
  { console }: CommandContext,
  api: Holdfast,
  sessionKey: string,
  end: TurnEnd,
  isToBeClosed: boolean,
): Promise<void> {
  const name = shortSessionName(sessionKey);
  const { dim } = console.notePaint;
  if (end.kind === "left") {
    console.note(
      dim(`The turn goes on: \`holdfast watch ${name}\` follows it, \`holdfast cancel ${name}\` ends it.`),
    );
  } else if (isToBeClosed) await api.acpAgent.closeSession(sessionKey);
  else console.note(dim(`Go on with \`holdfast chat ${name}\`.`));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function noPrompt(): CommandError {
  return new CommandError("WRONG_ARGUMENTS", "There is no prompt.", {
    exitCode: EXIT_CODES.setup,
    remedy: 'Give one, as in `holdfast run shell "echo hi"`, or pipe it in.',
  });
}

function wrong(message: string): CommandError {
  return new CommandError("WRONG_ARGUMENTS", message, { exitCode: EXIT_CODES.setup });
}
