// `/ask`: lets the client put a question to the person.
import { RpcError } from "@holdfast/jsonrpc";
import { fence } from "../turn/fenced-text.ts";
import { usageOf } from "./slash-command.ts";
import type { AnswerForm, ElicitationResult } from "../acp/client-methods.ts";
import type { SlashCommand } from "./slash-command.ts";

const FORM: AnswerForm = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/** Asks a question with one line for the answer (S14). */
export const ask: SlashCommand = {
  name: "ask",
  description: "Be asked a question",
  hint: "<question>",
  async run(turn, input) {
    const { client, session, signal } = turn;
    const message = input.trim();
    if (message === "") {
      await turn.say(`Usage: ${usageOf(ask)}`);
      return;
    }
    if (client.capabilities?.canShowForms !== true) {
      await turn.say("This client cannot ask questions for agents.");
      return;
    }
    try {
      const params = { sessionId: session.id, mode: "form" as const, message, requestedSchema: FORM };
      await turn.say(describeAnswer(await client.request("elicitation/create", params, { signal })));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      await turn.say(`The question could not be asked: ${error.message}`);
    }
  },
};

function describeAnswer({ action, content }: ElicitationResult): string {
  switch (action) {
    case "accept": {
      const answer = content?.answer;
      return typeof answer === "string" ? `You answered:\n${fence(answer)}` : "You sent no answer.";
    }
    case "decline": {
      return "You declined to answer.";
    }
    case "cancel": {
      return "You dismissed the question.";
    }
    default: {
      return `The question ended with ${action}.`;
    }
  }
}
