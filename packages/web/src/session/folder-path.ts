// Paths of folders as people type them: `~`, relative ones, and whether the host has them.
import { ROOT_URI } from "@holdfast/ahp";
import { useEffect, useState } from "react";
import type { HostConnection } from "../host/host-connection.ts";
import { useConnection, useHost } from "../host/use-host.ts";
import { fileUriOf } from "./session-words.ts";

/** The absolute path of what was typed; `~` is the home folder, where relative paths begin, too. A slash at the end stays. */
export function absolutePath(typed: string, home: string): string {
  const text = typed.trim();
  if (home === "" || text === "" || text.startsWith("/") || /^[a-z]:[\\/]/i.test(text)) return text;
  const relative = /^~(?=\/|$)/.test(text) ? text.slice(1) : `/${text}`;
  return withoutDots(home.replace(/\/+$/, "") + relative);
}

/** Without the steps `.` and `..`. */
function withoutDots(path: string): string {
  const steps: string[] = [];
  const parts = path.split("/").slice(1);
  for (const part of parts) {
    if (part === "..") steps.pop();
    else if (part !== ".") steps.push(part);
  }
  const last = parts.at(-1);
  if (last === "." || last === "..") steps.push("");
  return `/${steps.join("/")}`;
}

/** A sentence for a folder that the host does not have; undefined while nothing is known against it. */
export function useFolderProblem(folder: string): string | undefined {
  const host = useHost();
  const isConnected = useConnection().status.status === "connected";
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setProblem(undefined);
    if (folder === "" || !isConnected) return undefined;
    let isCurrent = true;
    void folderProblem(host, folder).then((found) => {
      if (isCurrent) setProblem(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [host, folder, isConnected]);
  return problem;
}

/** The host's number for a resource that does not exist. */
const notFound = -32_008;

async function folderProblem(host: HostConnection, folder: string): Promise<string | undefined> {
  const uri = fileUriOf(folder);
  try {
    // The owner may read everywhere, but says so first: the host records it.
    await host.client.request("resourceRequest", { channel: ROOT_URI, uri, read: true });
    const { type } = await host.client.request("resourceResolve", { channel: ROOT_URI, uri });
    return type === "directory" ? undefined : `${folder} is not a folder. Choose another.`;
  } catch (error) {
    // Where it cannot be asked for, the host says so when the session is opened.
    const isMissing = error instanceof Error && "code" in error && error.code === notFound;
    return isMissing ? `There is no folder ${folder}. Create it, or choose another.` : undefined;
  }
}
