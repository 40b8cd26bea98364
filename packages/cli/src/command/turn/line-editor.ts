// Reads a line at the keyboard, with the keys that people know from their shell (C29).
import { createInterface, type Interface } from "node:readline";
import type { Console } from "../../console.ts";

/** What came of asking for a line. */
export type Line =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-D, or the end of the input. */
  | { readonly kind: "end" }
  /** Ctrl-C twice, or somebody else ended the wait. */
  | { readonly kind: "left" };

/** How a line is asked for. */
export interface LineRequest {
  readonly prompt: string;
  /** The newest first, as readline has it; what is typed is added to it. */
  readonly history?: string[];
  readonly signal?: AbortSignal;
  /** Takes Ctrl-C in place of clearing the line. */
  readonly onInterrupt?: () => void;
}

const historyLength = 500;

/** Asks for one line. Ctrl-C clears what is typed and says that once more leaves; then it leaves. */
export function readLine(console: Console, request: LineRequest): Promise<Line> {
  const { prompt, history = [], signal, onInterrupt } = request;
  const { stdin, stderr } = console.streams;
  const editor = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    history: [...history],
    historySize: historyLength,
    removeHistoryDuplicates: true,
  });
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (line: Line): void => {
      if (isSettled) return;
      isSettled = true;
      signal?.removeEventListener("abort", onAbort);
      editor.close();
      if (line.kind !== "line") stderr.write("\n");
      resolve(line);
    };
    const onAbort = (): void => settle({ kind: "left" });
    signal?.addEventListener("abort", onAbort);
    editor.on("history", (lines: string[]) => history.splice(0, history.length, ...lines));
    editor.on("line", (text) => settle({ kind: "line", text }));
    editor.on("close", () => settle({ kind: "end" }));
    editor.on(
      "SIGINT",
      interruption(editor, console, () => settle({ kind: "left" }), onInterrupt),
    );
    editor.setPrompt(prompt);
    editor.prompt();
    if (signal?.aborted === true) onAbort();
  });
}

function interruption(
  editor: Interface,
  { streams: { stderr }, notePaint }: Console,
  leave: () => void,
  onInterrupt: (() => void) | undefined,
): () => void {
  let hasWarned = false;
  return () => {
    if (onInterrupt === undefined && editor.line === "" && hasWarned) return leave();
    stderr.write("\n");
    if (onInterrupt !== undefined) return onInterrupt();
    hasWarned = true;
    stderr.write(`${notePaint.dim("Ctrl-C again, or Ctrl-D, leaves.")}\n`);
    // From the end of the line to its start.
    editor.write(null, { ctrl: true, name: "e" });
    editor.write(null, { ctrl: true, name: "u" });
    editor.prompt();
  };
}
