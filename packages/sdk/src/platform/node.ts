// Platform in Node: variables of the environment, and the host that runs in this user's home.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { FoundHost, Platform } from "../host-address.ts";
import { readLockHolder } from "./lock-holder.ts";

/** A program: its variables are the environment's, its host is the one that runs in the user's home. */
export const platform: Platform = {
  variable: (name) => process.env[name],
  findHost: () => readHome(findHome(process.env)),
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The home of this user's host: what `HOLDFAST_HOME` says, else the platform's place for state (X5). */
export function findHome(
  environment: Environment,
  system: NodeJS.Platform = process.platform,
  userHome: string = homedir(),
): string {
  const named = environment["HOLDFAST_HOME"];
  if (named !== undefined && named !== "") return path.resolve(named);
  switch (system) {
    case "win32":
      return path.join(
        given(environment["LOCALAPPDATA"]) ?? path.join(userHome, "AppData", "Local"),
        "holdfast",
        "Data",
      );
    case "darwin":
      return path.join(userHome, "Library", "Application Support", "holdfast");
    default:
      return path.join(
        given(environment["XDG_STATE_HOME"]) ?? path.join(userHome, ".local", "state"),
        "holdfast",
      );
  }
}

/** The host that runs in a home, with its token where this user may read it; undefined if none runs (X5, X6). */
export async function readHome(home: string): Promise<FoundHost | undefined> {
  const said = readAddress(await readIfThere(path.join(home, "host.json")));
  const holder = await readLockHolder(home);
  // A host that was killed leaves its file behind, and by now its port may be anybody's: they must not get the token.
  if (said === undefined || said.pid !== holder?.pid || said.startedAt !== holder.startedAt) return undefined;
  const token = (await readIfThere(path.join(home, "token"))).trim();
  return {
    url: said.url,
    token: given(token),
    isRunning: async () => (await readLockHolder(home))?.id === holder.id,
  };
}

interface Address {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: string;
}

function readAddress(text: string): Address | undefined {
  try {
    const { url, pid = 0, startedAt = "" } = JSON.parse(text) as Partial<Address>;
    return typeof url === "string" ? { url, pid, startedAt } : undefined;
  } catch {
    // Not there, or not ours to understand: no host is known.
    return undefined;
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    // Missing or unreadable is the same to a client that looks for a host.
    return "";
  }
}

function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
