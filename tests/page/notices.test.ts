// Notices of the page, and the answer that came first.
import { type ActiveTurn, defaultChatUri, makeId, type SessionUri } from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { layoutProblems } from "./layout.ts";
import { describePage, openPage } from "./page-test.ts";
import { composer, say } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";
import { openTinySession, tinyCall, tinyTurn } from "./tiny-session.ts";

const at = "2026-01-01T00:00:00.000Z";
const turnId = makeId("turn", "now");
const toolCallId = makeId("tool call", "now");
const approvalId = makeId("approval", "now");

/** A turn that asks whether it may run something. */
const asking: ActiveTurn = {
  id: turnId,
  startedAt: at,
  waits: { permission: 1, input: 0, tool: 0 },
  message: { text: "clean", origin: { kind: "user" } },
  plans: [],
  responseParts: [
    {
      kind: "toolCall",
      toolCall: {
        ...tinyCall,
        toolCallId,
        displayName: "make clean",
        status: "pending-confirmation",
        approval: {
          id: approvalId,
          action: "execute",
          target: "make clean",
          requestedAt: at,
          options: [
            { id: "yes", label: "Allow once", kind: "allow_once" },
            { id: "no", label: "Deny", kind: "reject_once" },
          ],
        },
      },
    },
  ],
};

describePage("notices", () => {
  let tiny: TinyPage;
  const address = (session: SessionUri): string => `${tiny.url}/#/session/${encodeURIComponent(session)}`;

  beforeAll(async () => {
    tiny = await startTinyPage();
  });
  afterAll(() => {
    tiny?.close();
  });

  it.each([1280, 390])("[Z892] cover nothing that can be pressed, %d px wide", async (width) => {
    const session = openTinySession(tiny, { turns: [tinyTurn("Hello", [])] });
    tiny.host.refuse = ({ type }) =>
      type === "chat/turnStarted" ? "The session limit is reached." : undefined;
    const { page } = await openPage(address(session), { viewport: { width, height: 800 } });
    await composer(page).waitFor();
    await say(page, "Start");
    const notice = page.getByRole("status", { name: "Notices" }).getByText("The session limit is reached.");
    await notice.waitFor();
    expect(await layoutProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss the notice" }).click();
    await notice.waitFor({ state: "detached" });
  });

  it("[Z899] name who decided to a person whose answer came second", async () => {
    const session = openTinySession(tiny, {
      activeTurn: asking,
      changes: {
        activeClients: [{ clientId: makeId("client", "other"), displayName: "Firefox on Linux", tools: [] }],
      },
    });
    const { page } = await openPage(address(session));
    tiny.host.refuse = ({ type }) => {
      if (type !== "chat/toolCallConfirmed") return undefined;
      tiny.host.refuse = () => undefined;
      tiny.host.dispatch(defaultChatUri(session), {
        type: "chat/toolCallConfirmed",
        turnId,
        toolCallId,
        decision: {
          approvalId,
          outcome: "denied",
          optionId: "no",
          by: { kind: "client", clientId: makeId("client", "other") },
          at,
        },
      });
      return "This request is not open.";
    };
    await page.getByRole("button", { name: "Allow once", exact: true }).click();
    await page.getByText("Already denied in another window (Firefox on Linux).").waitFor();
    expect(await page.getByText("This request is not open.").count()).toBe(0);
  });

  it("[Z898] a closed session whose agent never started offers no Reopen", async () => {
    const lifecycle = { status: "closed", closedAt: at, by: { kind: "host" } } as const;
    const failed = openTinySession(tiny, { changes: { lifecycle } });
    const { page } = await openPage(address(failed));
    await page.getByText("Its agent never started, so there is nothing to reopen.").waitFor();
    await page.getByRole("button", { name: "New session like this" }).waitFor();
    expect(await page.getByRole("button", { name: "Reopen" }).count()).toBe(0);
    openTinySession(tiny, { changes: { lifecycle, backendId: "1" } });
    await page.reload();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
  });
});
