// Watches a whole host: sessions that come, change and go, questions that wait, terminals that start and end (C32).
import { ROOT_URI, type RootState } from "@holdfast/ahp";
import type { HostLink } from "../../link/host-link.ts";
import { hostChanges, NOTHING, type HostChange, type HostPicture } from "./host-changes.ts";

/** What watching a host needs. */
export interface HostWatchParts {
  readonly link: HostLink;
  readonly tell: (change: HostChange) => Promise<void>;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/** Watches until the signal; what is there at the beginning is told first. */
export async function watchHost({ link, tell, signal }: HostWatchParts): Promise<void> {
  const client = await link.ahp();
  const news = new News(signal);
  const root = await client.subscribe(ROOT_URI, "root", { onEvent: () => news.come() });
  let before = await takePicture(link, root.state, NOTHING);
  for (const change of hostChanges(NOTHING, withoutEnded(before))) await tell(change);
  while (await news.next()) {
    const after = await takePicture(link, root.state, before);
    for (const change of hostChanges(before, after)) await tell(change);
    before = after;
  }
}

/** The host as it is; approvals are asked for only where there may be some. */
async function takePicture({ api }: HostLink, root: RootState, before: HostPicture): Promise<HostPicture> {
  const mayWait =
    before.approvals.length > 0 || root.sessions.some(({ inputNeededCount }) => inputNeededCount > 0);
  return { root, approvals: mayWait ? await api.approvals.list() : [] };
}

/** Terminals that ended before anybody watched are no news. */
function withoutEnded({ root, approvals }: HostPicture): HostPicture {
  const terminals = root.terminals.filter(({ lifecycle }) => lifecycle.status === "running");
  return { root: { sessions: root.sessions, terminals }, approvals };
}

/** Tells that something is new, once for all that came since it was last asked. */
class News {
  readonly #signal: AbortSignal;
  #isThere = false;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake());
  }

  come(): void {
    this.#isThere = true;
    this.#wake();
  }

  /** Waits for news; false when nobody wants any more. */
  async next(): Promise<boolean> {
    while (!this.#isThere && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isThere = false;
    return !this.#signal.aborted;
  }
}
