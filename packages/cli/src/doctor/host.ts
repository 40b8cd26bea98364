// Examines the host of the home: whether it runs, answers and takes work.
import { readToken } from "../serve/token.ts";
import { VERSION } from "../version.ts";
import { mend, note, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const answerMs = 3000;

/** How the running host is; one that does not run is not started. */
export async function examineHost(
  surroundings: Pick<Surroundings, "home" | "runningHost">,
): Promise<Verdict> {
  const host = await surroundings.runningHost();
  if (host === undefined) {
    return note("does not run; commands that need one start it", { command: "holdfast serve" });
  }
  const { url, pid } = host;
  const where = `${url} (process ${pid})`;
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs) });
    if (response.ok) return await examineVersion(url, readToken(surroundings.home), where);
    const { error = "it does not say why" } = (await response.json()) as { error?: string };
    return mend(`${where} runs but takes no work: ${error}`, { command: "holdfast stop && holdfast serve" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return mend(`${where} runs but does not answer: ${why}`, {
      remedy: "End it; what it kept is taken up by the next one.",
      command: `kill ${pid}`,
    });
  }
}

async function examineVersion(url: string, token: string, where: string): Promise<Verdict> {
  const response = await fetch(`${url}/openapi.json`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerMs),
  });
  const { info } = (await response.json()) as { info?: { version?: string } };
  const version = info?.version ?? "unknown";
  const summary = `version ${version} is ready at ${where}`;
  if (version === VERSION) return ok(summary);
  return note(`${summary}; this program is version ${VERSION}`, {
    remedy: "A new start brings them together.",
    command: "holdfast stop && holdfast serve",
  });
}
