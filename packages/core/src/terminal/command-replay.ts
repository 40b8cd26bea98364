// The commands of a terminal, rebuilt from its logged actions.
import type { Action } from "@holdfast/ahp";
import { CommandIndex } from "@holdfast/terminal/view";

/** Takes a terminal's actions in order; commands without a place in them are left out. */
export class CommandReplay {
  readonly index: CommandIndex;
  #commandId = "";
  #startedAtMs = 0;

  /** `clearedAtOffset` is where the view began when the first of the actions was published, or later. */
  constructor(clearedAtOffset: number) {
    this.index = new CommandIndex({ newId: () => this.#commandId });
    this.index.clear(clearedAtOffset);
  }

  take(action: Action): void {
    switch (action.type) {
      case "terminal/commandExecuted": {
        const place = { offset: action.offset, rawOffset: action.offset };
        this.#commandId = action.commandId;
        this.#startedAtMs = Date.parse(action.startedAt);
        this.index.take(
          { kind: "commandLine", commandLine: action.commandLine, ...place },
          this.#startedAtMs,
        );
        this.index.take({ kind: "commandExecuted", ...place }, this.#startedAtMs);
        return;
      }
      case "terminal/commandFinished": {
        const { offset, exitCode, durationMs = 0 } = action;
        if (offset === undefined) return;
        const code = exitCode === undefined ? {} : { exitCode };
        this.index.take(
          { kind: "commandFinished", ...code, offset, rawOffset: offset },
          this.#startedAtMs + durationMs,
        );
        return;
      }
      case "terminal/cleared":
        this.index.clear(action.offset);
        break;
      default:
    }
  }
}
