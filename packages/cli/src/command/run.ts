// `holdfast run`: gives an agent a prompt and shows what it makes of it (C22–C28).
import path from "node:path";
import { APPROVAL_POLICIES, ISOLATION_LEVELS, parseSessionKey, type ApprovalPolicy } from "@holdfast/ahp";
import { HoldfastError, type AcpSession, type Holdfast } from "@holdfast/sdk";
import { Option, type Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { failureOf } from "../failure.ts";
import type { HostLink } from "../link/host-link.ts";
import { hold } from "./chat.ts";
import { type AddCommand, type CommandContext, hostCommand } from "./command.ts";
import { Conversation, type Sending } from "./conversation.ts";
import { type GivenLimits, readLimit, toSessionLimits } from "./limit-option.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";
import { offerSignIn } from "./sign-in.ts";
import { readAttachments, readPrompt } from "./turn/prompt.ts";
import { type TurnEnd, turnExitCode, turnFailure, turnRemedy } from "./turn/turn-end.ts";

interface RunOptions {
  readonly cwd?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly policy?: ApprovalPolicy;
  readonly title?: string;
  readonly limit?: GivenLimits;
  readonly isolation?: (typeof ISOLATION_LEVELS)[number];
  readonly session?: string;
  readonly attach?: readonly string[];
  readonly queue?: boolean;
  readonly close?: boolean;
  readonly cancelOnExit?: boolean;
  readonly markdown?: boolean;
}

export const addRun: AddCommand = (program, run) => {
  withOptions(
    hostCommand(
      program,
      "run <agent> [prompt...]",
      "send a prompt to an agent and stream its response; - reads stdin",
    ),
  ).action(run(work));
};

function withOptions(command: Command): Command {
  return command
    .option("--cwd <folder>", "working directory of the agent (default: this folder)")
    .option("--model <id>", "model id, as the agent names it")
    .option("--mode <id>", "mode of the agent")
    .addOption(
      new Option(
        "--policy <policy>",
        "approval policy (default: that of the configuration, else ask)",
      ).choices(APPROVAL_POLICIES),
    )
    .addOption(
      new Option(
        "--isolation <level>",
        "isolation of the agent and its commands (default: that of the configuration, else guard)",
      ).choices(ISOLATION_LEVELS),
    )
    .option("--limit <name=value>", "limit such as memory=1G or time=5m; may be repeated", readLimit)
    .option("--title <text>", "title of the new session")
    .option("--session <session>", "continue this session instead of starting one")
    .option("--queue", "queue the prompt behind a running turn instead of failing")
    .option("--attach <file>", "image or other file for the agent; may be repeated", collect)
    .option("--markdown", "print the response as Markdown source, code fences included")
    .option("--close", "close the session afterwards")
    .option("--cancel-on-exit", "also cancel the turn when SIGTERM or SIGHUP ends this program");
}

async function work(
  context: CommandContext,
  agent: string,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  const { console } = context;
  const message = await readPrompt(words, console);
  const attachments = readAttachments(options.attach ?? [], context.cwd);
  const wantsChat = message === undefined && attachments.length === 0;
  if ((wantsChat && !console.canAsk) || (message === "" && attachments.length === 0)) throw noPrompt();
  const link = await context.host();
  const isNew = options.session === undefined;
  const session = isNew
    ? await beginSignedIn(context, link, agent, options)
    : await continueSession(link.api, agent, options.session ?? "", options);
  const { session_key: sessionKey } = session;
  if (console.json) await console.printJson({ type: "session", data: session });
  const { cancelOnExit, queue, markdown: isMarkdown } = options;
  const conversation = new Conversation({ link, console, sessionKey, cancelOnExit, isMarkdown });
  if (wantsChat) return hold(context, conversation);
  const sending = { attachments, queue };
  let end = await sendFirst(conversation, link.api, isNew, message ?? "", sending);
  // After the sign-in the same message is sent once more.
  if (await offerSignIn(context, link, turnRemedy(end), folderOf(context, options))) {
    end = await conversation.send(message ?? "", sending);
  }
  await takeLeave(context, link.api, sessionKey, end, options.close === true);
  const failure = turnFailure(end);
  if (failure !== undefined) throw failure;
  return turnExitCode(end);
}

/** A new session; where the agent wants a sign-in, that is offered first. */
async function beginSignedIn(
  context: CommandContext,
  link: HostLink,
  agent: string,
  options: RunOptions,
): Promise<AcpSession> {
  try {
    return await begin(context, link.api, agent, options);
  } catch (error) {
    const remedy = error instanceof HoldfastError ? error.remedy : undefined;
    if (!(await offerSignIn(context, link, remedy, folderOf(context, options)))) {
      throw await withInstallCommand(link.api, agent, error);
    }
    return begin(context, link.api, agent, options);
  }
}

/** The error of an agent that is not installed names the command that installs it; any other stays as it is (C500). */
async function withInstallCommand(api: Holdfast, agent: string, error: unknown): Promise<unknown> {
  const failure = failureOf(error);
  if (failure?.code !== "ACP_SESSION_INIT_FAILED" || failure.remedy !== undefined) return error;
  // A host that cannot list its agents leaves the first error as it is.
  const agents = await api.acpAgent.listAgents().catch(() => []);
  const found = agents.find(({ id, handles }) => id === agent || handles.includes(agent));
  if (found?.installCommand === undefined) return error;
  const { code, message, exitCode } = failure;
  const remedy = `Install it with: ${found.installCommand}`;
  return new CommandError(code, message, { exitCode, remedy, cause: error });
}

function folderOf({ cwd }: Pick<CommandContext, "cwd">, options: RunOptions): string {
  return path.resolve(cwd, options.cwd ?? ".");
}

async function begin(
  { console, cwd }: CommandContext,
  api: Holdfast,
  agent: string,
  options: RunOptions,
): Promise<AcpSession> {
  const { model, policy, title, mode, limit, isolation } = options;
  const progress = console.progress(`Starting ${agent}`);
  try {
    const session = await api.acpAgent.createSession({
      agent_id: agent,
      cwd: folderOf({ cwd }, options),
      ...(title !== undefined && { label: title }),
      ...(model !== undefined && { model }),
      ...(policy !== undefined && { approvalPolicy: policy }),
      ...(limit !== undefined && { limits: toSessionLimits(limit) }),
      ...(isolation !== undefined && { isolation }),
    });
    const patch = {
      ...(mode !== undefined && { runtimeMode: mode }),
      // People are asked about everything, unless they or the configuration chose otherwise.
      ...(!(await hasPolicy(api, session)) && { approvalPolicy: "ask" as const }),
    };
    if (Object.keys(patch).length > 0) await api.acpAgent.patchSession(session.session_key, patch);
    return session;
  } finally {
    progress.close();
  }
}

async function hasPolicy(api: Holdfast, { session_key }: AcpSession): Promise<boolean> {
  const { runtime_options } = await api.acpAgent.getSession(session_key);
  return runtime_options.approvalPolicy !== undefined;
}

/** A session that is there, with what was said of it from now on. */
async function continueSession(
  api: Holdfast,
  agent: string,
  word: string,
  options: RunOptions,
): Promise<AcpSession> {
  const { cwd, model, mode, policy, title, limit, isolation } = options;
  if (title !== undefined) throw wrong("--title names a new session; it cannot be combined with --session.");
  if (isolation !== undefined) {
    throw wrong("--isolation is set when a session is created; it cannot be combined with --session.");
  }
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
    ...(limit !== undefined && { limits: toSessionLimits(limit) }),
  };
  if (Object.keys(patch).length > 0) await api.acpAgent.patchSession(sessionKey, patch);
  return session;
}

/** A new session whose only message is refused is of no use to anybody. */
async function sendFirst(
  conversation: Conversation,
  api: Holdfast,
  isNew: boolean,
  message: string,
  sending: Sending,
): Promise<TurnEnd> {
  try {
    return await conversation.send(message, sending);
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
      dim(
        `The turn is still running: \`holdfast watch ${name}\` follows it, \`holdfast cancel ${name}\` ends it.`,
      ),
    );
  } else if (isToBeClosed) await api.acpAgent.closeSession(sessionKey);
  else console.note(dim(`Continue with \`holdfast chat ${name}\`.`));
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
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
