// Examines the page: whether it is there to be served.
import { findWebRoot } from "../serve/web-root.ts";
import { note, ok, type Verdict } from "./finding.ts";

/** Whether the host has a page to show. */
export async function examinePage(): Promise<Verdict> {
  const folder = findWebRoot();
  if (folder !== undefined) return ok(`is served from ${folder}`);
  return note("was not built; everything but the page works", { command: "npm run build" });
}
