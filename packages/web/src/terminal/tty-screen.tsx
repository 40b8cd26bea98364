// A terminal with a real screen. Loaded when the first one is shown.
import type { TerminalSize } from "@holdfast/ahp";
import { guardEmulator } from "@holdfast/terminal/emulator";
import { SearchAddon } from "@xterm/addon-search";
import { type ITheme, Terminal } from "@xterm/xterm";
import { type ReactNode, useEffect, useRef } from "react";
import { focusMessageField, hasTouchKeyboard } from "../chat/message-focus.ts";
import { listenToTheme } from "../frame/theme.tsx";
import { atNextFrame } from "../host/next-frame.ts";
import type { OutputExtent } from "./output-foot.tsx";
import { ScreenLayout, type ScreenMode } from "./screen-layout.ts";
import { ScreenWriter } from "./screen-writer.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";

/** Text to look for. The screen goes to its last place, and with each further step to the place before. */
export interface ScreenSearch {
  readonly text: string;
  readonly steps: number;
  /** Called with whether it is there. */
  readonly onResult: (isFound: boolean) => void;
}

interface TtyScreenProps {
  readonly stream: TerminalStream;
  readonly label: string;
  /** Whether this page holds it: then what is typed goes to it. */
  readonly isHeld: boolean;
  readonly mode: ScreenMode;
  /** Whether its program has ended, so that all of its lines can be shown at once. */
  readonly isEnded: boolean;
  readonly size: TerminalSize | undefined;
  readonly fontSize: number;
  readonly search: ScreenSearch;
  readonly onExtent: (extent: OutputExtent) => void;
  readonly onGrow?: (() => void) | undefined;
}

const scrollbackLines = 5000;
/** The most rows that are drawn when all are shown; the screen scrolls to those before. */
const mostRows = 1000;
/** Fonts draw underscores on the last pixel of a row, which some browsers cut off at a device pixel ratio of 1. */
const lineHeight = 1.1;

/** The screen; the default export, because it is loaded when it is needed. */
export default function TtyScreen(props: TtyScreenProps): ReactNode {
  const { stream, label, isHeld, mode, isEnded, size, fontSize, search } = props;
  const place = useRef<HTMLDivElement>(null);
  const parts = useRef<ScreenParts>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const adapt = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (place.current === null) return undefined;
    const opened = openScreen(
      place.current,
      stream,
      fontSize,
      () => latest.current,
      () => adapt.current(),
    );
    parts.current = opened;
    return () => {
      parts.current = undefined;
      opened.close();
    };
  }, [stream, fontSize]);

  useEffect(() => {
    const element = place.current;
    const screen = parts.current;
    if (element === null || screen === undefined) return undefined;
    screen.terminal.options.disableStdin = !isHeld;
    // Nobody types into it: the browser would scroll to the place of its cursor, which may be out of view.
    if (screen.terminal.textarea) screen.terminal.textarea.tabIndex = isHeld ? 0 : -1;
    screen.terminal.options.cursorBlink = isHeld;
    screen.terminal.options.cursorInactiveStyle = isHeld ? "outline" : "none";
    screen.layout.plan();
    if (isHeld && stream.takeKeyboard()) screen.terminal.focus();
    adapt.current = () => {
      // Old output is drawn at the size that it was written for (Z510).
      if (screen.writer.isReplaying) return;
      if (mode === "fit") fitToPlace(screen, stream);
      else followSize(screen, latest.current);
    };
    adapt.current();
    if (mode !== "fit") return undefined;
    return watchPlace(element, () => adapt.current());
  }, [stream, isHeld, mode, isEnded, size?.cols, size?.rows, fontSize]);

  useEffect(() => {
    if (!isHeld) return undefined;
    return () => {
      // Not when the view changes: then the screen is gone as well.
      if (!latest.current.isHeld && place.current?.contains(document.activeElement) === true) {
        focusMessageField();
      }
    };
  }, [isHeld]);

  useEffect(() => {
    const screen = parts.current;
    if (screen === undefined) return;
    if (search.text === "") {
      screen.search.clearDecorations();
      screen.terminal.clearSelection();
      return;
    }
    const isFound = screen.search.findPrevious(search.text);
    latest.current.search.onResult(isFound);
    if (isFound) screen.layout.revealSelection();
  }, [search.text, search.steps]);
  return (
    <div
      ref={place}
      className={style.screen}
      role="group"
      aria-label={label}
      tabIndex={isHeld ? undefined : 0}
      data-mode={mode}
    />
  );
}

interface ScreenParts {
  readonly terminal: Terminal;
  readonly search: SearchAddon;
  readonly layout: ScreenLayout;
  readonly writer: ScreenWriter;
  close(): void;
}

function openScreen(
  place: HTMLElement,
  stream: TerminalStream,
  fontSize: number,
  latest: () => TtyScreenProps,
  onReplayed: () => void,
): ScreenParts {
  const terminal = new Terminal({
    fontSize,
    lineHeight,
    fontFamily: getComputedStyle(place).getPropertyValue("--mono"),
    theme: screenTheme(place),
    scrollback: scrollbackLines,
    screenReaderMode: false,
    allowProposedApi: false,
    cols: stream.state?.size?.cols ?? 80,
    rows: stream.state?.size?.rows ?? 24,
  });
  guardEmulator(terminal);
  const search = new SearchAddon();
  terminal.loadAddon(search);
  terminal.open(place);
  const writer = new ScreenWriter(terminal, atNextFrame, onReplayed);
  const stop = stream.show(writer);
  sendInput(terminal, (data, isTyped) => {
    if (!latest().isHeld || !stream.isLead(writer)) return;
    // Replies to old output are outdated, and so is where a pointer is on it.
    if (writer.isReplaying && (!isTyped || mouseReport.test(data))) return;
    void stream.dispatch({ type: "terminal/input", data: stream.withControl(data) });
  });
  // Where nobody types, Tab leaves the screen.
  terminal.attachCustomKeyEventHandler(({ key }) => key !== "Tab" || latest().isHeld);
  const layout = new ScreenLayout(place, terminal, {
    fontSize,
    mode: () => latest().mode,
    isEnded: () => latest().isEnded,
    isCut: () => writer.isCut || stream.isCut,
    onExtent: (extent) => latest().onExtent(extent),
  });
  const stopTheme = listenToTheme(() => (terminal.options.theme = screenTheme(place)));
  const takeLead = (): void => stream.lead(writer);
  terminal.textarea?.addEventListener("focus", takeLead);
  return {
    terminal,
    search,
    layout,
    writer,
    close: () => {
      stop();
      stopTheme();
      layout.close();
      writer.close();
      terminal.dispose();
    },
  };
}

const mouseReport = /^\u001B\[[<M]/;

/** Sends the data of a screen: a person's input, and the screen's replies to the program (Z1017). */
function sendInput(terminal: Terminal, send: (data: string, isTyped: boolean) => void): void {
  let isTyped = false;
  terminal._core.coreService.onUserInput(() => (isTyped = true));
  terminal.onData((data) => {
    send(data, isTyped);
    isTyped = false;
  });
}

/** Another client chose the size: the screen adapts to it. */
function followSize({ terminal, layout }: ScreenParts, props: TtyScreenProps): void {
  const { mode, isEnded, size, onGrow } = props;
  const isAll = mode === "whole" && isEnded;
  const rows = isAll ? Math.min(mostRows, layout.allRows) : size?.rows;
  if (size !== undefined && rows !== undefined) terminal.resize(size.cols, rows);
  onGrow?.();
}

function fitToPlace({ terminal, layout }: ScreenParts, stream: TerminalStream): void {
  const wanted = layout.fittingSize();
  if (wanted === undefined) return;
  const { cols, rows } = wanted;
  const known = stream.state?.size;
  if (terminal.cols !== cols || terminal.rows !== rows) terminal.resize(cols, rows);
  const isKnown = known?.cols === cols && known.rows === rows;
  if (!isKnown) void stream.dispatch({ type: "terminal/resized", cols, rows });
}

/** Adapts the screen when its place has another size, until the returned function is called. */
function watchPlace(place: HTMLElement, adapt: () => void): () => void {
  const observer = new ResizeObserver(() => {
    adapt();
    keepInSight(place);
  });
  observer.observe(place);
  const stop = new AbortController();
  place.addEventListener("focusin", () => atNextFrame(() => keepInSight(place)), { signal: stop.signal });
  return () => {
    observer.disconnect();
    stop.abort();
  };
}

/** Scrolls to the end of the terminal that is typed into, with its keys, when a touch keyboard opens (Z977). */
function keepInSight(place: HTMLElement): void {
  if (!hasTouchKeyboard || !place.contains(document.activeElement)) return;
  place.closest("article")?.scrollIntoView({ block: "end" });
}

/** A screen is dark in both themes. */
function screenTheme(place: Element): ITheme {
  const computed = getComputedStyle(place);
  const background = computed.getPropertyValue("--screen").trim();
  const foreground = computed.getPropertyValue("--screen-ink").trim();
  return {
    background,
    foreground,
    cursor: "#f2b05e",
    cursorAccent: background,
    selectionBackground: "#3f5f6280",
    scrollbarSliderBackground: "#8aa39f33",
    scrollbarSliderHoverBackground: "#8aa39f66",
    scrollbarSliderActiveBackground: "#8aa39f88",
    black: "#1c2b2b",
    red: "#ef7f76",
    green: "#85cf96",
    yellow: "#e6c06c",
    blue: "#7fb4e8",
    magenta: "#cf9be0",
    cyan: "#6fcbd0",
    white: "#d6e0de",
    brightBlack: "#7f9393",
    brightRed: "#ff9d94",
    brightGreen: "#a3e3b0",
    brightYellow: "#f4d489",
    brightBlue: "#a0caf5",
    brightMagenta: "#e0b6ee",
    brightCyan: "#93e0e4",
    brightWhite: "#f3f8f7",
  };
}
