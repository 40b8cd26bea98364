// A terminal with a real screen. Loaded when the first one is shown.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, type ReactNode } from "react";
import type { TerminalSize } from "@holdfast/ahp";
import { listenToTheme } from "../frame/theme.ts";
import { atNextFrame } from "../host/frame-notifier.ts";
import { ScreenCrop } from "./screen-crop.ts";
import { ScreenWriter } from "./screen-writer.ts";
import { screenTheme } from "./screen-theme.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";

/** A terminal to show. */
export interface TtyScreenProps {
  readonly stream: TerminalStream;
  readonly label: string;
  /** Whether this page holds it: then what is typed goes to it. */
  readonly isHeld: boolean;
  /** Whether a terminal that is held takes this screen's size; a small one only shows what it can. */
  readonly isFitting: boolean;
  readonly size: TerminalSize | undefined;
  readonly fontSize: number;
  /** Text to look for; the screen goes to its last place. */
  readonly search?: string | undefined;
  readonly onGrow?: (() => void) | undefined;
}

const scrollbackLines = 5000;

/** The screen; the default export, because it is loaded when it is needed. */
export default function TtyScreen(props: TtyScreenProps): ReactNode {
  const { stream, label, isHeld, isFitting, size, fontSize, search = "", onGrow } = props;
  const place = useRef<HTMLDivElement>(null);
  const parts = useRef<ScreenParts>(undefined);
  const held = useRef(isHeld);
  held.current = isHeld;
  useEffect(() => {
    if (place.current === null) return undefined;
    const opened = openScreen(place.current, stream, { fontSize, isHeld: () => held.current, isFitting });
    parts.current = opened;
    return () => {
      parts.current = undefined;
      opened.close();
    };
  }, [stream, fontSize, isFitting]);

  useEffect(() => {
    const element = place.current;
    const screen = parts.current;
    if (element === null || screen === undefined) return undefined;
    screen.terminal.options.disableStdin = !isHeld;
    screen.terminal.options.cursorBlink = isHeld;
    screen.terminal.options.cursorInactiveStyle = isHeld ? "outline" : "none";
    screen.crop.plan();
    if (isHeld && stream.takeKeyboard()) screen.terminal.focus();
    if (!isHeld || !isFitting) {
      // Somebody else's size: the screen adapts, and what does not fit can be scrolled to.
      if (size !== undefined) screen.terminal.resize(size.cols, size.rows);
      onGrow?.();
      return undefined;
    }
    const fit = (): void => fitToPlace(screen, stream);
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [stream, isHeld, isFitting, size?.cols, size?.rows, fontSize]);

  useEffect(() => {
    if (search !== "") parts.current?.search.findPrevious(search);
  }, [search]);
  return <div ref={place} className={style.screen} role="group" aria-label={label} data-held={isHeld} />;
}

interface ScreenParts {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
  readonly crop: ScreenCrop;
  close(): void;
}

interface ScreenWish {
  readonly fontSize: number;
  readonly isHeld: () => boolean;
  readonly isFitting: boolean;
}

function openScreen(
  place: HTMLElement,
  stream: TerminalStream,
  { fontSize, isHeld, isFitting }: ScreenWish,
): ScreenParts {
  const terminal = new Terminal({
    fontSize,
    fontFamily: getComputedStyle(place).getPropertyValue("--mono"),
    theme: screenTheme(place),
    scrollback: scrollbackLines,
    screenReaderMode: false,
    allowProposedApi: false,
    cols: stream.state?.size?.cols ?? 80,
    rows: stream.state?.size?.rows ?? 24,
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.open(place);
  const writer = new ScreenWriter(terminal, atNextFrame);
  const stop = stream.show(writer);
  // What comes out is what a person types, and the screen's own answers to the program: those of old output are stale.
  terminal.onData((data) => {
    if (!isHeld() || writer.isReplaying || !stream.isLead(writer)) return;
    void stream.dispatch({ type: "terminal/input", data });
  });
  const crop = new ScreenCrop(place, terminal, () => isHeld() && isFitting);
  const stopTheme = listenToTheme(() => (terminal.options.theme = screenTheme(place)));
  const takeLead = (): void => stream.lead(writer);
  terminal.textarea?.addEventListener("focus", takeLead);
  return {
    terminal,
    fit,
    search,
    crop,
    close: () => {
      stop();
      stopTheme();
      writer.close();
      terminal.dispose();
    },
  };
}

function fitToPlace({ terminal, fit }: ScreenParts, stream: TerminalStream): void {
  const wanted = fit.proposeDimensions();
  if (wanted === undefined || !(wanted.cols > 1 && wanted.rows > 1)) return;
  const { cols, rows } = wanted;
  const known = stream.state?.size;
  if (terminal.cols !== cols || terminal.rows !== rows) terminal.resize(cols, rows);
  const isKnown = known?.cols === cols && known.rows === rows;
  if (!isKnown) void stream.dispatch({ type: "terminal/resized", cols, rows });
}
