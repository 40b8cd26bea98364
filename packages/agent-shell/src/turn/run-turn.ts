// Turns under way, one per session at most, and how each answers its prompt.
import { randomUUID } from "node:crypto";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { PromptResult } from "../acp/agent-methods.ts";
import { inlineCode } from "./message-text.ts";
import { type Prompt, readTask, type Task } from "./prompt.ts";
import { quoteLine, runLines } from "./run-lines.ts";
import { Turn, type TurnOptions } from "./turn.ts";

interface RunningTurn {
  readonly turn: Turn;
  readonly ended: Promise<unknown>;
}

export class Turns {
  readonly #running = new Map<string, RunningTurn>();

  /** Runs a turn; a second one in the same session is refused (S10). The signal cancels it. */
  async run(options: TurnOptions, prompt: Prompt, signal: AbortSignal): Promise<PromptResult> {
    const { session } = options;
    if (this.#running.has(session.id)) {
      throw new RpcError(ErrorCode.invalidRequest, `Session ${session.id} has a turn under way`);
    }
    const turn = new Turn(options);
    const onAbort = (): void => {
      turn.cancel();
    };
    signal.addEventListener("abort", onAbort);
    const answering = runTurn(turn, prompt);
    this.#running.set(session.id, { turn, ended: answering.catch(() => undefined) });
    try {
      return await answering;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#running.delete(session.id);
      session.touch();
      turn.save();
    }
  }

  /** Cancels the turn of a session, if there is one, and resolves when it has ended. */
  async cancel(sessionId: string): Promise<void> {
    const running = this.#running.get(sessionId);
    running?.turn.cancel();
    await running?.ended;
  }

  /** Cancels all turns and resolves when they have ended. */
  async cancelAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((sessionId) => this.cancel(sessionId)));
  }
}

const MAX_TITLE_CHARACTERS = 80;

/** Runs a turn; when it is cancelled the answer says so, whatever was under way (S10). */
async function runTurn(turn: Turn, prompt: Prompt): Promise<PromptResult> {
  recordPrompt(turn, prompt);
  const task = readTask(prompt.text);
  try {
    nameSession(turn, task);
    await turn.think(describeTask(task, turn.session.cwd, prompt.mentions));
    await runTask(turn, task);
    turn.signal.throwIfAborted();
    return { stopReason: "end_turn" };
  } catch (error) {
    if (!turn.signal.aborted) throw error;
    return { stopReason: "cancelled" };
  } finally {
    await turn.endOpenCalls(turn.signal.aborted ? "cancelled" : "the turn failed");
  }
}

/** The client has shown the prompt already; only the history needs it. */
function recordPrompt(turn: Turn, prompt: Prompt): void {
  const messageId = randomUUID();
  for (const content of prompt.blocks) {
    turn.session.history.add({ sessionUpdate: "user_message_chunk", messageId, content });
  }
  turn.session.touch();
  turn.save();
}

function nameSession(turn: Turn, task: Task): void {
  const { session, client } = turn;
  const line = firstLineOf(task);
  if (session.title !== undefined || line === undefined) return;
  session.title = Array.from(line).slice(0, MAX_TITLE_CHARACTERS).join("");
  client.send(session.id, {
    sessionUpdate: "session_info_update",
    title: session.title,
    updatedAt: session.updatedAt,
  });
}

function firstLineOf(task: Task): string | undefined {
  switch (task.kind) {
    case "lines": {
      return task.lines[0];
    }
    case "slash": {
      const [first = ""] = task.input.trim().split("\n");
      return `/${task.name} ${first}`.trim();
    }
    case "nothing": {
      return undefined;
    }
  }
}

function describeTask(task: Task, cwd: string, mentions: readonly string[]): string {
  const aside = mentions.length === 0 ? "" : ` Mentioned, not run: ${mentions.join(", ")}.`;
  switch (task.kind) {
    case "lines": {
      const [first = ""] = task.lines;
      const what =
        task.lines.length === 1 ? quoteLine(first) : `${task.lines.length} commands, one after the other,`;
      return `I will run ${what} in ${cwd}.${aside}`;
    }
    case "slash": {
      return `I will do ${inlineCode(`/${task.name}`)}.${aside}`;
    }
    case "nothing": {
      return `There is no command in this prompt.${aside}`;
    }
  }
}

async function runTask(turn: Turn, task: Task): Promise<void> {
  switch (task.kind) {
    case "lines": {
      await runLines(turn, task.lines);
      return;
    }
    case "slash": {
      const { commands } = turn;
      const command = commands.find(task.name);
      if (command === undefined) await turn.say(`There is no command /${task.name}.\n\n${commands.helpText}`);
      else await command.run(turn, task.input);
      return;
    }
    case "nothing": {
      await turn.say(turn.commands.helpText);
    }
  }
}
