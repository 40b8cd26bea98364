// Commands that a person runs from the message field with `!`, in terminals that the person holds (Z811).
import { makeId, type SessionUri, terminalUri, type TerminalUri } from "@holdfast/ahp";
import { type ReactNode, useEffect, useState } from "react";
import type { HostConnection } from "../host/host-connection.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost, useTerminal } from "../host/use-host.ts";
import { TerminalPanel } from "../terminal/terminal-panel.tsx";
import style from "./composer.module.css";

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
  const body = { command, kind: "tty", name: command, ...(folder !== "" && { cwd: folder }) };
  const answer = await hostFetch("/sdk/acp/terminals", undefined, "POST", body);
  const { terminal } = (await answer.json()) as { readonly terminal: { readonly id: string } };
  const uri = terminalUri(makeId("terminal", terminal.id));
  const claim = { kind: "client", clientId: host.clientId } as const;
  // One that has ended already cannot be claimed, and needs not be.
  await host.terminal(uri).dispatch({ type: "terminal/claimed", claim });
  changeKept(session, (kept) => [...kept, uri]);
}

const storageKey = (session: SessionUri): string => `holdfast-commands:${session}`;
const listeners = new Set<() => void>();

/** The terminals of the commands that were run in this tab, also after a reload. */
function readKept(session: SessionUri): TerminalUri[] {
  const kept = sessionStorage.getItem(storageKey(session));
  return kept === null || kept === "" ? [] : kept.split("\n").map((uri) => makeId("terminal URI", uri));
}

function changeKept(session: SessionUri, change: (kept: TerminalUri[]) => TerminalUri[]): void {
  sessionStorage.setItem(storageKey(session), change(readKept(session)).join("\n"));
  for (const listener of listeners) listener();
}

/** The terminals of a session's own commands, the newest last; removed ones go. */
export function OwnCommands({ session }: { readonly session: SessionUri }): ReactNode {
  const [kept, setKept] = useState(() => readKept(session));
  useEffect(() => {
    const update = (): void => setKept(readKept(session));
    listeners.add(update);
    return () => void listeners.delete(update);
  }, [session]);
  if (kept.length === 0) return null;
  return (
    <section className={style.commands} aria-label="Your commands">
      {kept.map((uri) => (
        <OwnCommand
          key={uri}
          uri={uri}
          onGone={() => changeKept(session, (before) => before.filter((each) => each !== uri))}
        />
      ))}
    </section>
  );
}

interface OwnCommandProps {
  readonly uri: TerminalUri;
  readonly onGone: () => void;
}

function OwnCommand({ uri, onGone }: OwnCommandProps): ReactNode {
  const host = useHost();
  const { stream, view } = useTerminal(uri);
  const [isOpen, setIsOpen] = useState(true);
  const isGone = view.status === "gone";
  useEffect(() => {
    if (isGone) onGone();
  }, [isGone]);
  useEffect(() => host.terminal(uri).wantKeyboard(), [host, uri]);
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
