// The request to a running host to stop, with what runs in it kept or ended.
import type { RunningWork } from "@holdfast/server";

/** A host that has not responded after this time hangs. */
const requestTimeoutMs = 5000;

/** Asks the host to stop; whether it will. */
export async function requestStop(url: string, token: string, work: RunningWork): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/admin/stop?work=${work}`, {
      method: "POST",
      headers: { "x-api-key": token },
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    return status === 202;
  } catch {
    // It hangs, or it ended just now: the caller looks.
    return false;
  }
}
