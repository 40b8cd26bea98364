// A terminal with its head: what runs, who holds it, and what can be done with it.
import { CheckIcon, ChevronRightIcon, XIcon } from "@primer/octicons-react";
import type { TerminalState } from "@holdfast/ahp";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { TimeSince } from "../frame/time-since.tsx";
import { durationWords } from "../frame/time-words.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { isComposing } from "../ui/composing.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { useKeptChoice } from "../ui/kept-state.tsx";
import { Badge, StatusDot } from "../ui/status.tsx";
import { listedCommands, type ShellCommand } from "./command-history.ts";
import { KeyBar } from "./key-bar.tsx";
import { laterExtent, type OutputExtent, OutputFoot, wholeOutput } from "./output-foot.tsx";
import type { ScreenMode } from "./screen-layout.ts";
import { TerminalActions } from "./terminal-actions.tsx";
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
import type { ScreenSearch } from "./tty-screen.tsx";

const TtyScreen = lazy(() => import("./tty-screen.tsx"));

type PanelVariant = "tool-call" | "tile" | "focus";

interface TerminalPanelProps {
  readonly stream: TerminalStream;
  readonly state: TerminalState;
  /** A tile is small: fewer lines, a smaller font, no search. */
  readonly variant: PanelVariant;
  /** Whether it can be removed once it has ended. */
  readonly isListed?: boolean;
  /** Whether its output is shown; always, where it cannot be toggled. */
  readonly isOpen?: boolean;
  readonly onToggle?: ((isOpen: boolean) => void) | undefined;
  readonly onGrow?: (() => void) | undefined;
}

const fontSizes = { "tool-call": 13, tile: 11, focus: 14 } as const;
const textLines = { "tool-call": 2000, tile: 300, focus: 5000 } as const;

export function TerminalPanel(props: TerminalPanelProps): ReactNode {
  const { stream, state, variant, isListed = variant !== "tool-call", isOpen = true, onToggle } = props;
  const { clientId } = useHost();
  const [search, setSearch] = useState({ text: "", steps: 0 });
  const [isFound, setIsFound] = useState(true);
  const holder = holderOf(state.claim, clientId);
  const isRunning = state.lifecycle.status === "running";
  const isHeld = holder === "you" && isRunning;
  return (
    <article className={style.panel} data-variant={variant} aria-label={`Terminal: ${state.title}`}>
      <header className={style.head}>
        <CommandLine title={state.title} isOpen={isOpen} onToggle={onToggle} />
        {isRunning && <HolderLabel holder={holder} />}
        <LifecycleLabel state={state} />
        {variant === "focus" && state.run === "tty" && (
          <input
            type="search"
            className={style.search}
            aria-label="Search in the terminal"
            placeholder="Search"
            aria-invalid={search.text !== "" && !isFound}
            title={search.text === "" || isFound ? "Press Enter for the previous match" : "No match"}
            value={search.text}
            onChange={({ target }) => setSearch({ text: target.value, steps: 0 })}
            onKeyDown={({ key, nativeEvent }) => {
              if (key !== "Enter" || isComposing(nativeEvent)) return;
              setSearch({ ...search, steps: search.steps + 1 });
            }}
          />
        )}
        {isOpen && variant !== "tile" && <CopyButton label="Copy output" text={() => stream.text()} />}
        <TerminalActions stream={stream} state={state} holder={holder} isListed={isListed} />
      </header>
      {isOpen && <TerminalBody {...props} isHeld={isHeld} search={{ ...search, onResult: setIsFound }} />}
      {isHeld && isOpen && state.run === "tty" && <KeyBar stream={stream} />}
      {variant !== "tool-call" && <CommandTimeline commands={listedCommands(stream.commands, state.title)} />}
    </article>
  );
}

interface CommandLineProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onToggle: ((isOpen: boolean) => void) | undefined;
}

/** The command; a button where its output can be opened. */
export function CommandLine({ title, isOpen, onToggle }: CommandLineProps): ReactNode {
  const line = (
    <>
      <span className={style.prompt} aria-hidden="true">
        $
      </span>
      <span className={style.title} title={title}>
        {title}
      </span>
    </>
  );
  if (onToggle === undefined) return <span className={style.line}>{line}</span>;
  return (
    <button type="button" className={style.line} aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
      <span className={style.arrow}>
        <ChevronRightIcon />
      </span>
      {line}
    </button>
  );
}

interface TerminalBodyProps extends TerminalPanelProps {
  readonly isHeld: boolean;
  readonly search: ScreenSearch;
}

function TerminalBody(props: TerminalBodyProps): ReactNode {
  const { stream, state, variant, isHeld, search, onGrow } = props;
  const [extent, setExtent] = useState(wholeOutput);
  const [isUnfolded = false, setIsUnfolded] = useKeptChoice("output");
  // A screen would be an empty bar; text says that there is no output.
  const isEmpty =
    state.lifecycle.status !== "running" && state.output.endOffset === state.output.clearedAtOffset;
  const learn = (now: OutputExtent): void => setExtent((before) => laterExtent(before, now));
  return (
    <div className={style.body}>
      {state.run !== "tty" || isEmpty ? (
        <TextScreen
          stream={stream}
          maxLines={textLines[variant]}
          label={`Output of ${state.title}`}
          isUnfolded={isUnfolded}
          isEnded={state.lifecycle.status !== "running"}
          onExtent={learn}
          onGrow={onGrow}
        />
      ) : (
        <Suspense fallback={<p className={style.loading}>Loading the screen…</p>}>
          <TtyScreen
            stream={stream}
            label={`Screen of ${state.title}`}
            isHeld={isHeld}
            mode={screenMode(variant, isHeld, isUnfolded)}
            isEnded={state.lifecycle.status !== "running"}
            size={state.size}
            fontSize={fontSizes[variant]}
            search={search}
            onExtent={learn}
            onGrow={onGrow}
          />
        </Suspense>
      )}
      {variant !== "tile" && !isHeld && (
        <OutputFoot
          extent={extent}
          sizeBytes={state.output.endOffset - state.output.clearedAtOffset}
          terminalId={state.resource.split("/").at(-1)}
          isUnfolded={isUnfolded}
          onUnfold={variant === "tool-call" ? setIsUnfolded : undefined}
        />
      )}
    </div>
  );
}

function screenMode(variant: PanelVariant, isHeld: boolean, isUnfolded: boolean): ScreenMode {
  if (variant === "tile") return "fixed";
  if (isHeld) return "fit";
  if (variant === "focus") return "fixed";
  return isUnfolded ? "whole" : "folded";
}

/** The holder; that an agent holds its own command goes without saying. */
function HolderLabel({ holder }: { readonly holder: Holder }): ReactNode {
  if (holder === "agent") return <span className="hidden-label">{holderWords[holder]}</span>;
  return <Badge tone={holder === "you" ? "accent" : "plain"}>{holderWords[holder]}</Badge>;
}

function LifecycleLabel({ state }: { readonly state: TerminalState }): ReactNode {
  const { lifecycle, leftovers, startedAt } = state;
  const words = lifecycleWords(lifecycle);
  if (lifecycle.status === "running") {
    return (
      <span className={style.state}>
        <StatusDot state="running" />
        <span className="hidden-label">{words}</span>
        {startedAt !== undefined && <TimeSince startedAt={startedAt} />}
      </span>
    );
  }
  return (
    <>
      <EndLabel isGood={hasEndedWell(lifecycle.exit)} words={words} time={runTimeWords(state)} />
      {leftovers !== undefined && (
        <Badge title={leftovers.processes.map(({ pid, command }) => `${pid} ${command}`).join("\n")}>
          {leftoverWords(leftovers)}
        </Badge>
      )}
    </>
  );
}

interface EndLabelProps {
  readonly isGood: boolean;
  readonly words: string;
  readonly time: string | undefined;
}

/** How a command ended: a check mark where it went well, else in words. */
export function EndLabel({ isGood, words, time }: EndLabelProps): ReactNode {
  return (
    <span className={style.state} data-good={isGood}>
      <span className={style.end}>
        {isGood ? <CheckIcon /> : <XIcon />}
        <span className={isGood ? "hidden-label" : undefined}>{words}</span>
      </span>
      {time !== undefined && <span>{time}</span>}
    </span>
  );
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
