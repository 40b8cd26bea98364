// Every state that the page can be in without its host, without sessions or with a failed one, on a host of a hundred lines.
import type { Page } from "playwright-core";
import { type ErrorInfo, makeId, newRootState, ROOT_URI, type TurnEnd } from "@holdfast/ahp";
import { composer, say, whenConnected } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";
import { openTinySession, type TinySession, tinyTurn } from "./tiny-session.ts";

/** One state: how to come to it, and what a person reads there. */
export interface StateView {
  readonly name: string;
  readonly open: (page: Page) => Promise<unknown>;
  /** Names the state. */
  readonly says: string | RegExp;
  /** The way out: a control, or text that says what to do. */
  readonly remedy?: string | RegExp;
}

export interface StateViews {
  readonly views: readonly StateView[];
  close(): void;
}

const agents = {
  shell: { id: "shell", label: "Shell", installed: true, authReady: true },
  signedOut: { id: "painter", label: "Painter", installed: true, authReady: false },
  missing: {
    id: "sculptor",
    label: "Sculptor",
    installed: false,
    authReady: false,
    installCommand: "npm install -g sculptor",
  },
};

const failures = {
  start: {
    code: "ACP_SESSION_INIT_FAILED",
    message: "The agent exited with code 1 before it was ready.",
    stderrTail: ["node:internal/modules/cjs/loader:1210", "Error: Cannot find module 'painter'"],
  },
  missing: {
    code: "ACP_SESSION_INIT_FAILED",
    message:
      "Sculptor is not installed: sculptor is not on the PATH. Install it, or set its command under agents in the configuration.",
  },
  signIn: {
    code: "ACP_SESSION_INIT_FAILED",
    message: "Painter is not signed in (Authentication required). To sign in, run `painter login`.",
    detailCode: "sign_in_needed",
    remedy: { text: "To sign in, run `painter login`.", command: "painter login" },
  },
  turn: { code: "ACP_TURN_FAILED", message: "The agent exited with code 137 during the turn." },
  restart: { code: "host_restarted", message: "Interrupted: the host stopped." },
} as const satisfies Record<string, ErrorInfo>;

/** Starts the host; a view leaves it in the state that it shows, and the next one brings it back. */
export async function startStateViews(): Promise<StateViews> {
  const tiny = await startTinyPage();
  const scene = new StateScene(tiny);
  return {
    views: [...emptyStates(scene), ...agentStates(scene), ...errorStates(scene), ...hostStates(scene)],
    close: () => tiny.close(),
  };
}

/** Loads the page in front of the host, which has no session or one. */
class StateScene {
  readonly tiny: TinyPage;
  #loads = 0;

  constructor(tiny: TinyPage) {
    this.tiny = tiny;
  }

  async openEmpty(page: Page, hash: string): Promise<void> {
    this.tiny.agents = [agents.shell];
    this.tiny.host.open(ROOT_URI, "root", newRootState());
    await this.#load(page, hash);
    await whenConnected(page);
  }

  async openSession(page: Page, session: TinySession): Promise<void> {
    await this.#load(page, this.#hashOf(session));
    await whenConnected(page);
  }

  /** Begins without the host, in a session or at another place. */
  async openWithout(page: Page, conduct: TinyPage["conduct"], hash?: string): Promise<void> {
    await page.addInitScript(holdConnecting);
    await this.#load(page, hash ?? this.#hashOf(greeted), conduct);
  }

  /** Loses the host while a session is shown. */
  async lose(page: Page, conduct: TinyPage["conduct"]): Promise<void> {
    await this.openSession(page, greeted);
    await page.getByText("Hello", { exact: true }).waitFor();
    this.tiny.conduct = conduct;
    if (conduct !== "silent") this.tiny.hangUp();
  }

  #hashOf(session: TinySession): string {
    this.tiny.agents = [agents.shell, agents.missing];
    return `#/session/${encodeURIComponent(openTinySession(this.tiny, session))}`;
  }

  async #load(page: Page, hash: string, conduct: TinyPage["conduct"] = "responding"): Promise<void> {
    this.tiny.conduct = conduct;
    this.tiny.host.refuse = () => undefined;
    // Without the draft of the state before.
    if (this.#loads > 0) await page.evaluate("sessionStorage.clear()");
    this.#loads += 1;
    // Another address each time: one that differs after the # only would not load the page again.
    await page.goto(`${this.tiny.url}/?${conduct}-${this.#loads}${hash}`);
  }
}

const greeted: TinySession = { turns: [tinyTurn("Hello", [])] };

function emptyStates(scene: StateScene): readonly StateView[] {
  return [
    {
      name: "home-empty",
      open: (page) => scene.openEmpty(page, "#/"),
      says: "No sessions yet",
      remedy: "ls -la",
    },
    { name: "inbox-empty", open: (page) => scene.openEmpty(page, "#/inbox"), says: "No pending approvals" },
    {
      name: "terminals-empty",
      open: (page) => scene.openEmpty(page, "#/terminals"),
      says: "No terminal is open",
      remedy: "Open a shell",
    },
    {
      name: "session-empty",
      open: async (page) => {
        await scene.openSession(page, {});
        await composer(page).waitFor();
      },
      says: "No messages yet",
      remedy: "ls -la",
    },
  ];
}

function agentStates(scene: StateScene): readonly StateView[] {
  return [
    {
      name: "no-agent",
      open: async (page) => {
        await scene.openEmpty(page, "#/inbox");
        scene.tiny.agents = [agents.missing];
        await page.evaluate('location.hash = "#/"');
      },
      says: "No agent is installed",
      remedy: "npm install -g sculptor",
    },
    {
      name: "agent-missing",
      open: (page) =>
        scene.openSession(page, {
          changes: {
            provider: makeId("agent", "sculptor"),
            lifecycle: { status: "failed", error: failures.missing },
          },
        }),
      says: "Sculptor is not installed",
      remedy: "npm install -g sculptor",
    },
    {
      name: "sign-in-needed",
      open: (page) => scene.openSession(page, { turns: [failedTurn(failures.signIn)] }),
      says: "Painter is not signed in",
      remedy: "Sign in",
    },
  ];
}

function errorStates(scene: StateScene): readonly StateView[] {
  return [
    {
      name: "failed-start",
      open: (page) =>
        scene.openSession(page, { changes: { lifecycle: { status: "failed", error: failures.start } } }),
      says: "The agent did not start",
      remedy: "Retry",
    },
    {
      name: "failed-turn",
      open: (page) => scene.openSession(page, { turns: [failedTurn(failures.turn)] }),
      says: "The agent exited with code 137",
      remedy: "Retry",
    },
    {
      name: "notice",
      open: async (page) => {
        await scene.openSession(page, greeted);
        scene.tiny.host.refuse = ({ type }) =>
          type === "chat/turnStarted"
            ? "Session limit reached (maxSessions: 16). Close a session or raise the limit."
            : undefined;
        await say(page, "Start");
      },
      says: "Session limit reached",
      remedy: "Dismiss the notice",
    },
  ];
}

/** Without the host, what was shown before stays. */
function hostStates(scene: StateScene): readonly StateView[] {
  return [
    {
      name: "host-restarted",
      open: (page) =>
        scene.openSession(page, {
          turns: [failedTurn(failures.restart, "interrupted")],
          changes: { lifecycle: { status: "stale", since: at, cause: "host-restarted" } },
        }),
      says: "The host restarted",
      remedy: "Retry",
    },
    {
      name: "connecting",
      open: (page) => scene.openWithout(page, "silent"),
      says: "Connecting to the host…",
    },
    {
      name: "connecting-inbox",
      open: (page) => scene.openWithout(page, "silent", "#/inbox"),
      says: "Connecting to the host…",
    },
    {
      name: "unreachable",
      open: (page) => scene.openWithout(page, "away"),
      says: "Cannot reach the host",
      remedy: "Check that the host is running",
    },
    {
      name: "disconnected",
      open: (page) => scene.lose(page, "away"),
      says: "Disconnected. Reconnecting…",
      remedy: "Your sessions keep running",
    },
    {
      name: "not-responding",
      open: (page) => scene.lose(page, "silent"),
      says: "Host not responding",
      remedy: "holdfast stop",
    },
    {
      name: "signed-out",
      open: (page) => scene.lose(page, "signed-out"),
      says: "Signed out",
      remedy: "Sign in",
    },
  ];
}

const at = "2026-01-01T00:00:00.000Z";

function failedTurn(
  error: ErrorInfo,
  state: "failed" | "interrupted" = "failed",
): ReturnType<typeof tinyTurn> {
  const end: TurnEnd = { state, error, resumable: true };
  return { ...tinyTurn("Paint the fence", []), end };
}

/** Keeps the time from running out that the page waits for a silent host, 5 s: too short for its pictures. */
const holdConnecting = `
  if (location.search.startsWith("?silent")) {
    const after = setTimeout;
    globalThis.setTimeout = (work, ms, ...rest) => (ms === 5000 ? 0 : after(work, ms, ...rest));
  }
`;
