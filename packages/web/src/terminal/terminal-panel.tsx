// A terminal with its head: what runs, who holds it, and what can be done with it.
import { lazy, Suspense, useState, type ReactNode } from "react";
import type { TerminalState } from "@holdfast/ahp";
import { TimeSince } from "../frame/time-since.tsx";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { CommandTimeline } from "./command-timeline.tsx";
import { TerminalDeeds } from "./terminal-deeds.tsx";
import style from "./terminal-panel.module.css";
import { hasEndedWell, holderOf, holderWords, lifecycleWords, runTimeWords } from "./terminal-words.ts";
import { TextScreen } from "./text-screen.tsx";
import type { TerminalStream } from "./terminal-stream.ts";

const TtyScreen = lazy(() => import("./tty-screen.tsx"));

/** A terminal to show. */
export interface TerminalPanelProps {
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

/** The terminal. */
export function TerminalPanel({ stream, state, variant, knownTitle, onGrow }: TerminalPanelProps): ReactNode {
  const { clientId } = useHost();
  const [search, setSearch] = useState("");
  const holder = holderOf(state.claim, clientId);
  const isHeld = holder === "you" && state.lifecycle.status === "running";
  const label = `Terminal: ${state.title}`;
  return (
    <section className={style.panel} data-variant={variant} aria-label={label}>
      <header className={style.head}>
        <span className={style.title} title={state.title}>
          {state.title === knownTitle ? "" : state.title}
        </span>
        {state.lifecycle.status === "running" && (
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
        <TerminalDeeds stream={stream} state={state} holder={holder} isListed={variant !== "tool-call"} />
      </header>
      {state.run !== "tty" ? (
        <TextScreen stream={stream} maxLines={textLines[variant]} label={label} onGrow={onGrow} />
      ) : (
        <Suspense fallback={<p className={style.loading}>Loading the screen …</p>}>
          <TtyScreen
            stream={stream}
            label={label}
            isHeld={isHeld}
            isFitting={variant !== "tile"}
            size={state.size}
            fontSize={fontSizes[variant]}
            search={search}
            onGrow={onGrow}
          />
        </Suspense>
      )}
      {variant !== "tool-call" && <CommandTimeline commands={stream.commands} />}
    </section>
  );
}

function LifecycleChip({ state }: { readonly state: TerminalState }): ReactNode {
  const { lifecycle, startedAt } = state;
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
    </>
  );
}
