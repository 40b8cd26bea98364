// A turn as programs read it: each event on a line of JSON, with the cursor to go on from (C28).
import type { TurnEvent } from "@holdfast/sdk";
import type { Console } from "../../console.ts";
import type { TurnDisplay } from "./turn-view.ts";

/** Writes events as lines of JSON. */
export class TurnLines implements TurnDisplay {
  readonly #console: Console;

  constructor(console: Console) {
    this.#console = console;
  }

  async show({ type, data }: TurnEvent, cursor: string | undefined): Promise<void> {
    await this.#console.printJson({ type, data, cursor });
  }

  answeredHere(): void {
    // Lines tell everything, whoever did it.
  }

  async finish(): Promise<void> {
    // Each line is whole already.
  }
}
