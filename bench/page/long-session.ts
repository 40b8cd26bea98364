// Opening of a session with many messages from the list of sessions, beside one with two.
import type { Browser } from "playwright-core";
import { openLongSessions } from "../../tests/page/long-session.ts";
import { startTinyPage } from "../../tests/page/tiny-page.ts";
import { median } from "../terminal/statistics.ts";
import { measureOpening } from "./opening.ts";

export interface LongSession {
  readonly openMs: number;
  readonly shortMs: number;
}

export async function measureLongSession(
  browser: Browser,
  turns: number,
  rounds: number,
): Promise<LongSession> {
  const tiny = await startTinyPage();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    const [long = "", short = ""] = openLongSessions(tiny.host, { Long: turns, Short: 1 });
    const open = async (session: string, lastQuestion: number): Promise<number> => {
      // Loads the code of the view; a new page each time, so that nothing of the session is there before.
      await page.goto(`${tiny.url}/#/session/${encodeURIComponent("ahp-session:/none")}`);
      await page.getByText("Session not found").waitFor();
      const isOpen = `document.querySelector("[role=log]")?.textContent.includes("Question ${lastQuestion}")`;
      const openMs = await measureOpening(page, `a[href$="${encodeURIComponent(session)}"]`, isOpen);
      await page.goto("about:blank");
      return openMs;
    };
    const openTimesMs: number[] = [];
    const shortTimesMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      shortTimesMs.push(await open(short, 0));
      openTimesMs.push(await open(long, turns - 1));
    }
    return { openMs: median(openTimesMs), shortMs: median(shortTimesMs) };
  } finally {
    await page.close();
    tiny.close();
  }
}
