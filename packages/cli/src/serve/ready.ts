// What a start prints on stdout: a page for people, or one line for programs (C8).
import path from "node:path";
import { OPERATIONS } from "@holdfast/protocol";
import { quote } from "../shell-word.ts";
import { TOKEN_FILE } from "./token.ts";

/** A host that can be reached. */
export interface ReadyHost {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  /** The process it runs in, when that is not this one. */
  readonly otherPid?: number | undefined;
}

/** The only line on stdout under `--json`. */
export function readyLine({ url, token }: ReadyHost): string {
  const ahpUrl = `${url.replace(/^http/, "ws")}/ahp`;
  return `${JSON.stringify({ event: "ready", url, ahpUrl, token })}\n`;
}

/** The same for people: where to go, where things are kept, what to try. */
export function readyPage({ url, token, home, otherPid }: ReadyHost): string {
  const title =
    otherPid === undefined ? "Holdfast is running." : `Holdfast is already running (process ${otherPid}).`;
  const tokenFile = quote(path.join(home, TOKEN_FILE));
  return [
    title,
    "",
    `  Open  ${url}/?tkn=${token}`,
    `  Home  ${home}`,
    `  Try   curl -H "x-api-key: $(cat ${tokenFile})" ${url}${OPERATIONS.listAgents.path}`,
    "",
    "",
  ].join("\n");
}
