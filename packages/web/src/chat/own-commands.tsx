// Commands that a person runs from the message field with `!`, in terminals that the person holds (Z811).
import { makeId, type SessionUri, terminalUri, type TerminalUri } from "@holdfast/ahp";
import { type ReactNode, useEffect, useState } from "react";
import type { HostConnection } from "../host/host-connection.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useRoot, useTerminal } from "../host/use-host.ts";
import { TerminalPanel } from "../terminal/terminal-panel.tsx";
import style from "./composer.module.css";
import { hasTypedSince } from "./message-focus.ts";

/** The command of a message that runs one; undefined for any other message. */
export function ownCommand(text: string): string | undefined {
  const command = text.startsWith("!") ? text.slice(1).trim() : "";
  return command === "" ? undefined : command;
}

/** Runs a command in a folder; rejects with a sentence for people. */
export async function runOwnCommand(
  host: HostConnection,
  session: SessionUri,
  folder: string,
  command: string,
): Promise<void> {
  const sentMs = performance.now();
  const body = { command, kind: "tty", name: command, ...(folder !== "" && { cwd: folder }) };
  const answer = await hostFetch("/sdk/acp/terminals", undefined, "POST", body);
  const { terminal } = (await answer.json()) as { readonly terminal: { readonly id: string } };
  const uri = terminalUri(makeId("terminal", terminal.id));
  const claim = { kind: "client", clientId: host.clientId } as const;
  // One that has ended already cannot be claimed, and needs not be.
  await host.terminal(uri).dispatch({ type: "terminal/claimed", claim });
  // The next message may have been begun meanwhile, and is not for the program.
  if (!hasTypedSince(sentMs)) host.terminal(uri).wantKeyboard();
  sessionStorage.setItem(storageKey(session), [...readKept(session), uri].slice(-maxKept).join("\n"));
  for (const listener of listeners) listener();
}

const maxKept = 20;

const storageKey = (session: SessionUri): string => `holdfast-commands:${session}`;
const listeners = new Set<() => void>();

/** The terminals of the commands that were run in this tab, also after a reload. */
function readKept(session: SessionUri): TerminalUri[] {
  const kept = sessionStorage.getItem(storageKey(session));
  return kept === null || kept === "" ? [] : kept.split("\n").map((uri) => makeId("terminal URI", uri));
}

/** The terminals of a session's own commands, the newest last, until they are removed. */
export function OwnCommands({ session }: { readonly session: SessionUri }): ReactNode {
  const root = useRoot();
  const [kept, setKept] = useState(() => readKept(session));
  useEffect(() => {
    const update = (): void => setKept(readKept(session));
    listeners.add(update);
    return () => void listeners.delete(update);
  }, [session]);
  const shown = kept.filter((uri) => root?.terminals.some(({ resource }) => resource === uri) === true);
  if (shown.length === 0) return null;
  return (
    <section className={style.commands} aria-label="Your commands">
      {shown.map((uri) => (
        <OwnCommand key={uri} uri={uri} />
      ))}
    </section>
  );
}

function OwnCommand({ uri }: { readonly uri: TerminalUri }): ReactNode {
  const { stream, view } = useTerminal(uri);
  const [isOpen, setIsOpen] = useState(true);
  if (view.status !== "live") return null;
  return (
    <TerminalPanel
      stream={stream}
      state={view.state}
      variant="tool-call"
      isListed
      isOpen={isOpen}
      onToggle={setIsOpen}
    />
  );
}
