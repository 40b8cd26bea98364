// What a terminal shows, made from its actions, as the host makes it from its bytes.
import type { TerminalPart } from "../../dialects/ahp/terminal-part.ts";
import type { TerminalAction } from "../../model/terminal/terminal-actions.ts";

/** Collects the parts of a terminal. */
export class TerminalScreen {
  readonly #commands = new Set<string>();
  #parts: readonly TerminalPart[] = [];

  /** The parts so far. */
  get parts(): readonly TerminalPart[] {
    return this.#parts;
  }

  /** Whether a command of that id was seen; ids of real commands never come twice. */
  knows(commandId: string): boolean {
    return this.#commands.has(commandId);
  }

  /** Takes an action that the terminal took. */
  take(action: TerminalAction): void {
    switch (action.type) {
      case "terminal/data":
        this.#append(action.data);
        return;
      case "terminal/cleared":
        this.#parts = [];
        return;
      case "terminal/commandExecuted": {
        const { commandId, commandLine, startedAt } = action;
        this.#close({});
        this.#commands.add(commandId);
        this.#parts = [...this.#parts, { kind: "command", commandId, commandLine, text: "", startedAt }];
        return;
      }
      case "terminal/commandFinished":
        this.#close({ exitCode: action.exitCode, durationMs: action.durationMs });
        return;
      case "terminal/exited":
        this.#close({});
        break;
      default:
    }
  }

  #append(text: string): void {
    const last = this.#parts.at(-1);
    const isOpen = last && (last.kind === "output" || !last.end);
    this.#parts = isOpen
      ? [...this.#parts.slice(0, -1), { ...last, text: last.text + text }]
      : [...this.#parts, { kind: "output", text }];
  }

  #close(end: { exitCode?: number; durationMs?: number }): void {
    const index = this.#parts.findLastIndex((part) => part.kind === "command" && !part.end);
    const part = this.#parts[index];
    if (part?.kind === "command") this.#parts = this.#parts.with(index, { ...part, end });
  }
}
