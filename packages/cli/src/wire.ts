// Puts the host together from its concrete parts; nothing else names them.
import process from "node:process";
import { VERSION, shellProgramPath } from "@holdfast/agent-shell";
import { Host } from "@holdfast/core";
import { InlineKeeper } from "@holdfast/keeper";
import { startServer } from "@holdfast/server";
import type { HostParts, ListeningHost } from "./serve.ts";

/** Starts a host whose processes are its own children, and serves it. */
export async function startHost({ home, config, token, auditStore, log }: HostParts): Promise<ListeningHost> {
  const host = new Host({
    keeper: new InlineKeeper(),
    config,
    stateFolder: home,
    shellAgent: { command: process.execPath, args: [...agentFlags(), shellProgramPath], version: VERSION },
    log,
    auditStore,
  });
  try {
    const server = await startServer({ host, token, listen: config.listen, log });
    return {
      url: server.url,
      async close(): Promise<void> {
        try {
          await server.close();
        } finally {
          await host.close();
        }
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Node's flags for the built-in agent: ours, so that it runs from source where we do. A debugger's port is taken. */
function agentFlags(): string[] {
  return process.execArgv
    .filter((flag) => !flag.startsWith("--inspect"))
    .map((flag, index, flags) => {
      // The agent starts in the session's folder, from where the name of a package leads nowhere.
      return flags[index - 1] === "--import" ? import.meta.resolve(flag) : flag;
    });
}
