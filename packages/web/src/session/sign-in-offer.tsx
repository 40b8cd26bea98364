// The button that signs in to an agent: it runs the agent's own command in a terminal, shown in place.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { type ErrorInfo, makeId, terminalUri, type TerminalUri } from "@holdfast/ahp";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost, useTerminal } from "../host/use-host.ts";
import { TerminalPanel } from "../terminal/terminal-panel.tsx";
import { Button } from "../ui/button.tsx";

interface SignInOffer {
  /** The button; undefined where there is no command to run, and once it was pressed. */
  readonly button: ReactNode;
  /** The terminal, once the button was pressed. */
  readonly terminal: ReactNode;
  /** The message of the error, without the command that the button runs. */
  readonly message: string;
}

/** The offer to sign in that belongs to an error; the command runs in the folder. */
export function useSignInOffer({ message, remedy }: ErrorInfo, folder: string): SignInOffer {
  const [isOpen, setIsOpen] = useState(false);
  const command = remedy?.command;
  if (remedy === undefined || command === undefined) {
    return { button: undefined, terminal: undefined, message };
  }
  return {
    message: plainMessage(message, remedy.text),
    button: isOpen ? undefined : (
      <Button size="small" kind="primary" title={command} onClick={() => setIsOpen(true)}>
        Sign in
      </Button>
    ),
    terminal: isOpen ? <RemedyTerminal command={command} folder={folder} /> : undefined,
  };
}

/** A message without its remedy and without the agent's own words in parentheses before it. */
function plainMessage(message: string, remedy: string): string {
  if (!message.endsWith(remedy)) return message;
  return message
    .slice(0, -remedy.length)
    .trim()
    .replace(/ \([^()]*\)\.$/, ".");
}

interface RemedyTerminalProps {
  readonly command: string;
  /** Where the command runs; the home folder if it is empty. */
  readonly folder: string;
}

/** Runs a command in a new terminal, once. */
export function RemedyTerminal({ command, folder }: RemedyTerminalProps): ReactNode {
  const host = useHost();
  const [terminal, setTerminal] = useState<TerminalUri>();
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    const body = {
      command: "/bin/sh",
      args: ["-c", command],
      kind: "tty",
      name: command,
      ...(folder !== "" && { cwd: folder }),
    };
    const opened = hostFetch("/sdk/acp/terminals", undefined, "POST", body).then(async (answer) => {
      const { terminal: made } = (await answer.json()) as { readonly terminal: { readonly id: string } };
      setTerminal(terminalUri(makeId("terminal", made.id)));
    });
    void host.reportFailure(opened);
  }, [host, command, folder]);
  return terminal === undefined ? <p>Opening the terminal…</p> : <SignInTerminal uri={terminal} />;
}

/** The terminal of the command, held by the person who opened it. */
function SignInTerminal({ uri }: { readonly uri: TerminalUri }): ReactNode {
  const host = useHost();
  const { stream, view } = useTerminal(uri);
  const isLive = view.status === "live";
  useEffect(() => {
    if (!isLive) return;
    stream.wantKeyboard();
    const claim = { kind: "client", clientId: host.clientId } as const;
    void host.reportRejection(stream.dispatch({ type: "terminal/claimed", claim }));
  }, [host, stream, isLive]);
  if (!isLive) return <p>{view.status === "gone" ? view.reason : "Opening the terminal…"}</p>;
  return <TerminalPanel stream={stream} state={view.state} variant="tool-call" />;
}
