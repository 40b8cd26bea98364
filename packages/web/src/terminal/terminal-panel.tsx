// A terminal with its head: what runs, who holds it, and what can be done with it.
import {
  defaultChatUri,
  makeId,
  parseChannelUri,
  type SessionUri,
  type TerminalAction,
  type TerminalClaim,
  type TerminalState,
  type TerminalUri,
} from "@holdfast/ahp";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { focusMessageField } from "../chat/message-focus.ts";
import { TimeSince } from "../frame/time-since.tsx";
import { durationWords } from "../frame/time-words.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { listedCommands, type ShellCommand } from "./command-history.ts";
import type { ScreenMode } from "./screen-layout.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";
import {
  hasEndedWell,
  type Holder,
  holderOf,
  holderWords,
  leftoverWords,
  lifecycleWords,
  runTimeWords,
} from "./terminal-words.ts";
import { TextScreen } from "./text-screen.tsx";

const TtyScreen = lazy(() => import("./tty-screen.tsx"));

interface TerminalPanelProps {
  readonly stream: TerminalStream;
  readonly state: TerminalState;
  /** A tile is small: fewer lines, a smaller font, no search. */
  readonly variant: "tool-call" | "tile" | "focus";
  /** A title that stands above it already, and need not be repeated. */
  readonly knownTitle?: string | undefined;
  readonly onGrow?: (() => void) | undefined;
}

const fontSizes = { "tool-call": 13, tile: 11, focus: 14 } as const;
const textLines = { "tool-call": 2000, tile: 300, focus: 5000 } as const;

export function TerminalPanel({ stream, state, variant, knownTitle, onGrow }: TerminalPanelProps): ReactNode {
  const { clientId } = useHost();
  const [search, setSearch] = useState("");
  const holder = holderOf(state.claim, clientId);
  const [isFoldable, setIsFoldable] = useState(false);
  const [isUnfolded, setIsUnfolded] = useState(false);
  const isRunning = state.lifecycle.status === "running";
  const isHeld = holder === "you" && isRunning;
  const label = `Terminal: ${state.title}`;
  const mode = screenMode(variant, isHeld, isUnfolded);
  return (
    <article className={style.panel} data-variant={variant} aria-label={label}>
      <header className={style.head}>
        <span className={style.title} title={state.title}>
          {state.title === knownTitle ? "" : state.title}
        </span>
        {isRunning && (
          <span className={isHeld ? control.chipAccent : control.chip}>{holderWords[holder]}</span>
        )}
        {(variant !== "tile" || state.lifecycle.status === "exited") && <LifecycleChip state={state} />}
        {variant !== "tile" && state.run === "tty" && (
          <input
            type="search"
            className={style.search}
            aria-label="Search in the terminal"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <TerminalActions stream={stream} state={state} holder={holder} isListed={variant !== "tool-call"} />
      </header>
      {state.run !== "tty" ? (
        <TextScreen
          stream={stream}
          maxLines={textLines[variant]}
          label={`Output of ${state.title}`}
          isUnfolded={isUnfolded}
          onFoldable={setIsFoldable}
          onGrow={onGrow}
        />
      ) : (
        <Suspense fallback={<p className={style.loading}>Loading the screen …</p>}>
          <TtyScreen
            stream={stream}
            label={`Screen of ${state.title}`}
            isHeld={isHeld}
            mode={mode}
            isEnded={!isRunning}
            size={state.size}
            fontSize={fontSizes[variant]}
            search={search}
            onFoldable={setIsFoldable}
            onGrow={onGrow}
          />
        </Suspense>
      )}
      {variant === "tool-call" && isFoldable && !isHeld && (
        <button
          type="button"
          className={style.fold}
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
        >
          {isUnfolded ? "Show less" : "Show all"}
        </button>
      )}
      {variant !== "tool-call" && <CommandTimeline commands={listedCommands(stream.commands, state.title)} />}
    </article>
  );
}

function screenMode(
  variant: TerminalPanelProps["variant"],
  isHeld: boolean,
  isUnfolded: boolean,
): ScreenMode {
  if (variant === "tile") return "fixed";
  if (isHeld) return "fit";
  if (variant === "focus") return "fixed";
  return isUnfolded ? "whole" : "folded";
}

function LifecycleChip({ state }: { readonly state: TerminalState }): ReactNode {
  const { lifecycle, leftovers, startedAt } = state;
  const words = lifecycleWords(lifecycle);
  if (lifecycle.status === "running") {
    return (
      <span className={control.chipAccent}>
        {words}
        {startedAt !== undefined && <TimeSince startedAt={startedAt} />}
      </span>
    );
  }
  return (
    <>
      <span className={hasEndedWell(lifecycle.exit) ? control.chipGood : control.chipBad}>{words}</span>
      <span className={control.time}>{runTimeWords(state)}</span>
      {leftovers !== undefined && (
        <span
          className={control.chip}
          title={leftovers.processes.map(({ pid, command }) => `${pid} ${command}`).join("\n")}
        >
          {leftoverWords(leftovers)}
        </span>
      )}
    </>
  );
}

interface TerminalActionsProps {
  readonly stream: TerminalStream;
  readonly state: TerminalState;
  readonly holder: Holder;
  /** Whether it stands in a list, from which it can be taken once it has ended. */
  readonly isListed: boolean;
}

/** The buttons that make sense now; none where nothing can be done. */
function TerminalActions({ stream, state, holder, isListed }: TerminalActionsProps): ReactNode {
  const host = useHost();
  const { claim, leftovers, lifecycle, run, resource } = state;
  const dispatch = (action: TerminalAction): void => void host.reportRejection(stream.dispatch(action));
  const claimFor = (wanted: TerminalClaim): void => dispatch({ type: "terminal/claimed", claim: wanted });
  const giveTo = (session: SessionUri): void => {
    focusMessageField();
    claimFor({ kind: "session", session, chat: defaultChatUri(session) });
  };
  const takeOver = (): void => {
    if (claim.kind === "session") rememberOrigin(resource, claim.session);
    stream.wantKeyboard();
    claimFor({ kind: "client", clientId: host.clientId });
  };
  const remove = (): Promise<unknown> => host.client.request("disposeTerminal", { channel: resource });
  // Stopped, it stays to be read, and its agent learns how it ended (Z344).
  const stop = (): Promise<unknown> => {
    const address = parseChannelUri(resource);
    return address?.kind === "terminal"
      ? hostFetch(`/sdk/acp/terminals/${encodeURIComponent(address.terminalId)}/kill`, undefined, "POST")
      : remove();
  };
  const origin = originOf(resource);
  const isRunning = lifecycle.status === "running";
  // An agent's own command ends with the agent's work.
  if (isRunning && run === "display") return undefined;
  return (
    <span className={style.actions}>
      {isRunning && run === "tty" && (holder === "agent" || holder === "background" || holder === "gone") && (
        <button type="button" className={control.small} onClick={takeOver}>
          Take over
        </button>
      )}
      {isRunning && holder === "you" && origin !== undefined && (
        <button type="button" className={control.small} onClick={() => giveTo(origin)}>
          Hand back
        </button>
      )}
      {isRunning && holder === "agent" && claim.kind === "session" && (
        <button type="button" className={control.small} onClick={() => giveTo(claim.session)}>
          Background
        </button>
      )}
      {leftovers !== undefined && (
        <button
          type="button"
          className={control.smallDanger}
          onClick={() => void host.reportFailure(hostFetch(killAddress(resource), undefined, "POST"))}
        >
          End processes
        </button>
      )}
      {holder !== "another" && (isRunning || isListed) && (
        <button
          type="button"
          className={isRunning ? control.smallDanger : control.small}
          onClick={() => {
            focusMessageField();
            void host.reportFailure(isRunning ? stop() : remove());
          }}
        >
          {isRunning ? "Stop command" : "Remove"}
        </button>
      )}
    </span>
  );
}

/** The address that kills a terminal, and after its exit ends the processes that its command left running. */
function killAddress(resource: string): string {
  const address = parseChannelUri(resource);
  const id = address?.kind === "terminal" ? address.terminalId : resource;
  return `/sdk/acp/terminals/${encodeURIComponent(id)}/kill`;
}

const storageKey = (terminal: TerminalUri): string => `holdfast-origin:${terminal}`;

/** So that the terminal can be handed back, also after a reload. */
function rememberOrigin(terminal: TerminalUri, session: SessionUri): void {
  sessionStorage.setItem(storageKey(terminal), session);
}

/** The session from which a terminal came, if it was taken over in this tab. */
function originOf(terminal: TerminalUri): SessionUri | undefined {
  const kept = sessionStorage.getItem(storageKey(terminal));
  return kept === null || kept === "" ? undefined : makeId("session URI", kept);
}

/** The commands, the newest first. */
function CommandTimeline({ commands }: { readonly commands: readonly ShellCommand[] }): ReactNode {
  if (commands.length === 0) return null;
  return (
    <ol className={style.timeline} aria-label="Commands" tabIndex={0}>
      {commands.toReversed().map((command) => (
        <li key={command.commandId} className={chipOf(command)} title={command.commandLine}>
          <span className={style.commandLine}>{command.commandLine}</span> {endWords(command)}
        </li>
      ))}
    </ol>
  );
}

function endWords({ end }: ShellCommand): string {
  if (end === undefined) return "running";
  const code = end.exitCode === undefined ? "cut off" : end.exitCode === 0 ? "✓" : `exit ${end.exitCode}`;
  return end.durationMs === undefined ? code : `${code} ${durationWords(end.durationMs)}`;
}

function chipOf({ end }: ShellCommand): string | undefined {
  if (end === undefined) return control.chipAccent;
  return end.exitCode === 0 ? control.chipGood : control.chipBad;
}
