// Cases of status events: actions in, exact events out.
import { describe, expect, it } from "vitest";
import { at, expectProjection, status, turnId, type ProjectionCase } from "../testing/projection-case.ts";

const cases: ProjectionCase[] = [
  {
    title: "[A33] plans and usage are statuses",
    actions: [
      {
        type: "chat/planChanged",
        turnId,
        plan: {
          kind: "entries",
          id: "plan-1",
          entries: [
            { content: "one", priority: "high", status: "completed" },
            { content: "two", priority: "low", status: "pending" },
          ],
        },
      },
      { type: "chat/planChanged", turnId, plan: { kind: "markdown", id: "plan-1", content: "- one" } },
      { type: "chat/planRemoved", turnId, planId: "plan-1" },
      {
        type: "chat/contextUsageChanged",
        contextUsage: { usedTokens: 10, sizeTokens: 100, cost: { amount: 1, currency: "EUR" } },
      },
      { type: "chat/usage", turnId, usage: { inputTokens: 3 } },
    ],
    events: [
      status("plan", "1 of 2 steps completed", {
        planId: "plan-1",
        entries: [
          { content: "one", priority: "high", status: "completed" },
          { content: "two", priority: "low", status: "pending" },
        ],
      }),
      status("plan", "- one", { planId: "plan-1" }),
      status("plan", "The plan was dropped", { planId: "plan-1", entries: [] }),
      status("usage_update", "10 of 100 tokens in context", {
        used: 10,
        size: 100,
        cost: { amount: 1, currency: "EUR" },
      }),
      status("usage_update", "Tokens used", { breakdown: { inputTokens: 3 } }),
    ],
  },
  {
    title: "[A33] an update of an unknown kind is passed on as it came",
    actions: [
      {
        type: "chat/agentUpdateReceived",
        updateKind: "weather_update",
        update: { sessionUpdate: "weather_update", sky: "blue" },
      },
      { type: "chat/activityChanged", activity: "No sign of life for 2 minutes" },
      { type: "chat/activityChanged" },
    ],
    events: [
      status("weather_update", "weather_update", {
        update: { sessionUpdate: "weather_update", sky: "blue" },
      }),
      status("activity", "No sign of life for 2 minutes"),
    ],
  },
  {
    title: "[A33] what happens to the session is a status with ACP's tags",
    actions: [
      {
        type: "session/commandsChanged",
        commands: [
          { name: "read", description: "Reads", inputHint: "a path" },
          { name: "help", description: "Helps" },
        ],
      },
      { type: "session/modeChanged", modeId: "careful" },
      {
        type: "session/configOptionsChanged",
        configOptions: [
          { id: "fast", name: "Fast", type: "boolean", currentValue: true },
          {
            id: "model",
            name: "Model",
            type: "select",
            currentValue: "a",
            choices: [{ value: "a", name: "A" }],
          },
        ],
      },
      { type: "session/configChanged", config: { fast: false } },
      { type: "session/titleChanged", title: "A walk" },
      { type: "session/resuming" },
      { type: "session/contextLost", at, reason: "It forgot." },
      { type: "session/isReadChanged", isRead: true },
    ],
    events: [
      status("available_commands_update", "2 commands available", {
        availableCommands: [
          { name: "read", description: "Reads", input: { hint: "a path" } },
          { name: "help", description: "Helps" },
        ],
      }),
      status("current_mode_update", "Mode careful", { currentModeId: "careful" }),
      status("config_option_update", "Options changed", {
        configOptions: [
          { id: "fast", name: "Fast", type: "boolean", currentValue: true },
          {
            id: "model",
            name: "Model",
            type: "select",
            currentValue: "a",
            options: [{ value: "a", name: "A" }],
          },
        ],
      }),
      status("config_option_update", "Options changed", { config: { fast: false } }),
      status("session_info_update", "A walk", { title: "A walk" }),
      status("resuming", "Restarting the agent"),
      status("context_lost", "It forgot."),
    ],
  },
  {
    title: "[A34] a question is a status with its fields, and its answer is reported",
    actions: [
      {
        type: "chat/inputRequested",
        turnId,
        request: {
          id: "input-1",
          message: "Which one?",
          questions: [{ id: "which", kind: "text", message: "Which one?" }],
          requestedAt: at,
        },
      },
      { type: "chat/inputCompleted", requestId: "input-1", response: "accept", by: { kind: "host" } },
      { type: "chat/inputCompleted", requestId: "input-0", response: "accept", by: { kind: "host" } },
    ],
    events: [
      status("input_request", "Which one?", {
        requestId: "input-1",
        message: "Which one?",
        questions: [{ id: "which", kind: "text", message: "Which one?" }],
        requestedAt: at,
      }),
      status("input_resolved", "Question answered: accept", { requestId: "input-1", response: "accept" }),
    ],
  },
];

describe("[A33] the projection of statuses", () => {
  it.each(cases)("$title", (example) => {
    expect.hasAssertions();
    expectProjection(example);
  });
});
