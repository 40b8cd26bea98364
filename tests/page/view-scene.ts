// A host with sessions in every state, and every view of its page: the scene of the pictures and of the layout test.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { ask, askPermission, say, type Step, update } from "../../packages/core/src/testing/script.ts";
import { startReviewScene, type ReviewScene } from "./review-scene.ts";

/** The addresses of the sessions, after the #. */
export interface ViewScene extends ReviewScene {
  readonly sessions: Readonly<Record<"work" | "asking" | "form" | "running" | "closed", string>>;
}

/** One view: its address after the #, and what a person does there; it is complete when that is done. */
export interface View {
  readonly name: string;
  readonly hash: string;
  readonly arrive: (page: Page) => Promise<unknown>;
}

const read = (name: string): Step =>
  update("tool_call", { toolCallId: name, title: `Read ${name}`, kind: "read", status: "completed" });

/** A command in a separate tool call. */
function command(name: string, line: string, status = "completed"): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", { command: line }),
    update("tool_call", {
      toolCallId: name,
      kind: "execute",
      title: line,
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    update("tool_call_update", { toolCallId: name, status }),
  ];
}

const reply = `## What I changed

The greeting in \`src/greet.ts:3\` asks \`src/evening.ts:1\` for the time. Three things to know:

- **Evening** begins at six, by the clock of the machine.
- Nothing else uses \`greet\`, so no caller had to change.
- The [README](README.md) says that it works in the evening, too.

\`\`\`ts
export function isEvening(now = new Date()): boolean {
  return now.getHours() >= 18;
}
\`\`\`

| hour | greeting |
| --- | --- |
| 9 | Hello |
| 20 | Good evening |
`;

const evening =
  `sed -i 's/"Hello"/isEvening() ? "Good evening" : "Hello"/' src/greet.ts; ` +
  `printf 'export function isEvening(now = new Date()): boolean {\\n  return now.getHours() >= 18;\\n}\\n' > src/evening.ts; ` +
  `printf '\\nGood evening works too.\\n' >> README.md`;

const plan = update("plan", {
  entries: [
    { content: "Read how people are greeted", priority: "high", status: "completed" },
    { content: "Greet by the time of day", priority: "high", status: "completed" },
    { content: "Run the tests", priority: "low", status: "in_progress" },
  ],
});

const requestedSchema = {
  type: "object",
  properties: {
    hour: { type: "integer", title: "First hour of the evening", minimum: 12, maximum: 23, default: 18 },
    words: { type: "string", title: "Greeting", enum: ["Good evening", "Hello again"] },
  },
  required: ["words"],
};

const prompts: Readonly<Record<string, readonly Step[]>> = {
  "Greet people in the evening": [
    update("agent_thought_chunk", {
      content: {
        type: "text",
        text: "The greeting is in one place. A function for the time keeps it testable.",
      },
    }),
    plan,
    say("I will look at the greeting first."),
    read("src/greet.ts"),
    read("README.md"),
    say("Now the change:"),
    ...command("edit", evening),
    update("tool_call", {
      toolCallId: "change",
      title: "Edit src/greet.ts",
      kind: "edit",
      status: "completed",
      content: [
        {
          type: "diff",
          path: "src/greet.ts",
          oldText: '  const words = ["Hello", name];\n',
          newText: '  const words = [isEvening() ? "Good evening" : "Hello", name];\n',
        },
      ],
    }),
    say("The tests:"),
    ...command(
      "test",
      `for i in $(seq 1 30); do echo "ok $i - greets at hour $i"; done; echo 'not ok 31 - in the dark'; exit 1`,
      "failed",
    ),
    update("usage_update", { used: 50_000, size: 200_000, cost: { amount: 0.31, currency: "USD" } }),
    say(reply),
  ],
  "Thank you": [say("You are welcome.")],
  "Run the tests": [
    say("Running the tests with the new loader."),
    askPermission("Run the tests", {
      kind: "execute",
      rawInput: { command: "node --test --import ./loader.mjs 'src/**/*.test.ts'" },
    }),
  ],
  "Ask me": [
    ask("form", "elicitation/create", { mode: "form", message: "When is it evening?", requestedSchema }),
  ],
  "Watch the files": command("watch", "echo watching 12 files; sleep 600"),
};

/** Sends a message and reads what comes of it, until the host ends. */
async function followed(address: string, key: string, message: string): Promise<void> {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ message }),
    });
    await answer.text();
  } catch {
    // The host has ended.
  }
}

/** Starts the host and brings every session to its state. */
export async function startViewScene(): Promise<ViewScene> {
  const scene = await startReviewScene(prompts);
  const { repository, host } = scene;
  const garden = path.join(host.project, "garden");
  mkdirSync(garden);
  const open = async (label: string, cwd = repository, approvalPolicy = "approve-all"): Promise<string> => {
    const { session } = await scene.api("POST", "/sdk/acp/session", {
      agent_id: "painter",
      cwd,
      approvalPolicy,
      label,
    });
    return (session as { readonly session_key: string }).session_key;
  };
  const keys = {
    work: await open("Greetings in the evening"),
    asking: await open("Tests with a loader and a name that is too long for the list", repository, "ask"),
    form: await open("When evening begins", garden),
    running: await open("Watcher"),
    closed: await open("First try"),
  };
  await scene.send(keys.work, "Greet people in the evening");
  for (const key of [keys.work, keys.work, keys.closed]) await scene.send(key, "Thank you");
  await scene.api("DELETE", `/sdk/acp/session/${encodeURIComponent(keys.closed)}`);
  for (const [key, message] of [
    [keys.asking, "Run the tests"],
    [keys.form, "Ask me"],
    [keys.running, "Watch the files"],
  ] as const) {
    // These turns wait until the host ends; questions are asked where somebody follows.
    void followed(`${host.url}/sdk/acp/session/${encodeURIComponent(key)}/chat/stream`, host.token, message);
  }
  const { sessions } = await scene.api("GET", "/sdk/acp/sessions?closed=true");
  const listed = sessions as readonly { readonly session_key: string; readonly uri: string }[];
  const uris = new Map(listed.map(({ session_key: key, uri }) => [key, uri]));
  const hashOf = (key: string): string => `#/session/${encodeURIComponent(uris.get(key) ?? "")}`;
  return {
    ...scene,
    sessions: {
      work: hashOf(keys.work),
      asking: hashOf(keys.asking),
      form: hashOf(keys.form),
      running: hashOf(keys.running),
      closed: hashOf(keys.closed),
    },
  };
}

const section = (name: string): View => ({
  name: `host-${name}`,
  hash: `#/host/${name}`,
  arrive: (page) => page.getByRole("tabpanel").getByRole("heading").first().waitFor(),
});

/** Every view of a host with sessions. */
export function viewsOf({ sessions }: ViewScene): readonly View[] {
  return [...conversationViews(sessions), ...reviewViews(sessions), ...hostViews(sessions)];
}

function conversationViews({ work, asking, form, running }: ViewScene["sessions"]): readonly View[] {
  return [
    {
      name: "home",
      hash: "#/",
      arrive: async (page) => {
        await page.getByText("Watcher").first().waitFor();
        await page.getByText("Looking for agents…").waitFor({ state: "detached" });
      },
    },
    {
      name: "conversation",
      hash: work,
      arrive: (page) => page.getByText("You are welcome.").last().waitFor(),
    },
    {
      name: "conversation-parts",
      hash: work,
      arrive: async (page) => {
        await page.getByText("You are welcome.").last().waitFor();
        await page.getByRole("log", { name: "Conversation" }).press("Home");
        await page.getByText("I will look at the greeting first.").waitFor();
      },
    },
    {
      name: "question",
      hash: asking,
      arrive: (page) => page.getByRole("button", { name: "Deny" }).waitFor(),
    },
    { name: "question-form", hash: form, arrive: (page) => page.getByText("When is it evening?").waitFor() },
    {
      name: "running",
      hash: running,
      arrive: (page) => page.getByText("watching 12 files").first().waitFor(),
    },
    {
      name: "permissions-menu",
      hash: running,
      arrive: async (page) => {
        await page.getByRole("button", { name: /^Permissions: / }).click();
        await page.getByRole("listbox", { name: "Permissions" }).waitFor();
      },
    },
    {
      name: "session-menu",
      hash: running,
      arrive: async (page) => {
        await page.getByRole("button", { name: "Session menu" }).click();
        await page.getByRole("menu").waitFor();
      },
    },
  ];
}

function reviewViews({ work, running }: ViewScene["sessions"]): readonly View[] {
  return [
    {
      name: "changes",
      hash: `${work}/changes`,
      arrive: (page) => page.getByText("isEvening(now").first().waitFor(),
    },
    {
      name: "review-comment",
      hash: `${work}/changes`,
      arrive: async (page) => {
        const line = page.getByRole("button", { name: "Comment on line 2", exact: true }).first();
        await line.focus();
        await page.keyboard.press("Enter");
        await page.getByRole("textbox", { name: /^Comment on / }).fill("Make it an hour earlier.");
      },
    },
    {
      name: "file",
      hash: `${work}/changes?file=src/evening.ts&line=2`,
      arrive: (page) => page.getByText("now.getHours()").first().waitFor(),
    },
    {
      name: "session-terminals",
      hash: `${running}/terminals`,
      arrive: (page) => page.getByText("watching 12 files").first().waitFor(),
    },
  ];
}

function hostViews({ closed }: ViewScene["sessions"]): readonly View[] {
  return [
    { name: "inbox", hash: "#/inbox", arrive: (page) => page.getByText("When is it evening?").waitFor() },
    {
      name: "terminals",
      hash: "#/terminals",
      arrive: (page) => page.getByText("watching 12 files").first().waitFor(),
    },
    {
      name: "search-empty",
      hash: "#/search",
      arrive: (page) => page.getByText(/^Searches titles/).waitFor(),
    },
    {
      name: "search",
      hash: "#/search?q=evening",
      arrive: (page) => page.getByRole("list", { name: "Results" }).getByRole("link").first().waitFor(),
    },
    {
      name: "search-nothing",
      hash: "#/search?q=zebra",
      arrive: (page) => page.getByText("No results for “zebra”").waitFor(),
    },
    {
      name: "closed-list",
      hash: "#/closed",
      arrive: (page) => page.getByText("First try").first().waitFor(),
    },
    {
      name: "closed-session",
      hash: closed,
      arrive: (page) => page.getByText("This session is closed.").waitFor(),
    },
    ...["settings", "agents", "permissions", "access", "usage", "activity", "system"].map(section),
    {
      name: "palette",
      hash: "#/",
      arrive: async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("listbox", { name: "Results" }).waitFor();
      },
    },
    {
      name: "shortcuts",
      hash: "#/inbox",
      arrive: async (page) => {
        await page.getByRole("heading", { name: "Inbox" }).waitFor();
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      },
    },
    {
      name: "new-session",
      hash: "#/terminals",
      arrive: async (page) => {
        await page.getByRole("heading", { name: "Terminals" }).waitFor();
        await page.keyboard.press("s");
        const dialog = page.getByRole("dialog", { name: "New session" });
        await dialog.getByRole("button", { name: "Open session" }).waitFor();
      },
    },
    {
      name: "missing-session",
      hash: "#/session/ahp-session%3A%2Fnone",
      arrive: (page) => page.getByText("Session not found").waitFor(),
    },
  ];
}

/** Goes to a view; what was open is closed by Escape. */
export async function goToView(page: Page, { hash, arrive }: View): Promise<void> {
  for (let count = 0; count < 2; count += 1) await page.keyboard.press("Escape");
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await arrive(page);
  await page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))");
}
