// Views of a page without sessions, with a failed one, and without its host.
import type { Page } from "playwright-core";
import { newRootState, ROOT_URI } from "@holdfast/ahp";
import { composer, say, whenConnected } from "./page-walk.ts";
import { startTinyPage } from "./tiny-page.ts";
import { openTinySession, tinyTurn } from "./tiny-session.ts";

interface TinyView {
  readonly name: string;
  readonly open: (page: Page) => Promise<unknown>;
}

/** The views, in the order in which they must be opened. */
export async function emptyViews(): Promise<{ readonly views: readonly TinyView[]; close(): void }> {
  const tiny = await startTinyPage();
  const { host, url } = tiny;
  const openEmpty = async (page: Page, hash: string): Promise<void> => {
    host.open(ROOT_URI, "root", newRootState());
    await page.goto(`${url}/${hash}`);
    await page.reload();
    await whenConnected(page);
  };
  const openSession = async (page: Page, session: string): Promise<void> => {
    await page.goto(`${url}/#/session/${encodeURIComponent(session)}`);
    await page.reload();
    await whenConnected(page);
  };
  const error = {
    code: "AGENT_START_FAILED",
    message: "The agent exited with code 1 before it was ready.",
    stderrTail: ["node:internal/modules/cjs/loader:1210", "Error: Cannot find module 'painter'"],
  };
  return {
    views: [
      { name: "home-empty", open: (page) => openEmpty(page, "#/") },
      { name: "inbox-empty", open: (page) => openEmpty(page, "#/inbox") },
      { name: "terminals-empty", open: (page) => openEmpty(page, "#/terminals") },
      {
        name: "failed-start",
        open: (page) =>
          openSession(page, openTinySession(tiny, { changes: { lifecycle: { status: "failed", error } } })),
      },
      {
        name: "session-empty",
        open: async (page) => {
          await openSession(page, openTinySession(tiny, {}));
          await composer(page).waitFor();
        },
      },
      {
        name: "notice",
        open: async (page) => {
          host.refuse = ({ type }) =>
            type === "chat/turnStarted"
              ? "Session limit reached (maxSessions: 16). Close a session or raise the limit."
              : undefined;
          await openSession(page, openTinySession(tiny, { turns: [tinyTurn("Hello", [])] }));
          await say(page, "Start");
          await page.getByText("Session limit reached").waitFor();
        },
      },
      {
        name: "disconnected",
        open: async (page) => {
          await openSession(page, openTinySession(tiny, { turns: [tinyTurn("Hello", [])] }));
          await page.context().setOffline(true);
          tiny.hangUp();
          await page.getByText("Reconnecting").first().waitFor();
        },
      },
    ],
    close: () => tiny.close(),
  };
}
