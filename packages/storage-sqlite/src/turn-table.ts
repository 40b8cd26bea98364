// The turns that left the states of their chats, in the order in which they left.
import { checkTurn, MODEL_VERSION, type Turn } from "@holdfast/ahp";
import { StorageError, type TurnPage, type WantedOmittedTurn } from "@holdfast/core/ports";
import { checkVersion, parseJson } from "./action-row.ts";
import { numberOf, type SqlRow, textOf } from "./driver.ts";
import type { Database } from "./database.ts";

const columns = "turn_id, model_version, body";

/** Reads and writes omitted turns; they go with their channel. */
export class TurnTable {
  readonly #database: Database;
  readonly #onFault: (error: unknown) => void;

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database;
    this.#onFault = onFault;
  }

  /** Keeps turns that leave a state, oldest first. */
  add(channelId: number, turns: readonly Turn[]): void {
    for (const turn of turns) {
      this.#database.run(
        "INSERT INTO turn (channel_id, turn_id, request_key, model_version, body) VALUES (?, ?, ?, ?, ?)",
        channelId,
        turn.id,
        turn.message.request?.key ?? null,
        MODEL_VERSION,
        JSON.stringify(turn),
      );
    }
  }

  /** The turns before one of them, or the newest; undefined when it is not one of them. */
  before(channelId: number, before: string | undefined, limit: number): TurnPage | undefined {
    const place = before === undefined ? Number.MAX_SAFE_INTEGER : this.#placeOf(channelId, before);
    if (place === undefined) return undefined;
    const rows = this.#database.all(
      `SELECT ${columns} FROM turn WHERE channel_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      channelId,
      place,
      limit + 1,
    );
    const turns = rows.slice(0, limit).flatMap((row) => this.#read(row) ?? []);
    return { turns: turns.toReversed(), hasMore: rows.length > limit };
  }

  /** The newest turn that is wanted. */
  find(channelId: number, wanted: WantedOmittedTurn): Turn | undefined {
    const [column, value] =
      "turnId" in wanted ? ["turn_id", wanted.turnId] : ["request_key", wanted.requestKey];
    const row = this.#database.get(
      `SELECT ${columns} FROM turn WHERE channel_id = ? AND ${column} = ? ORDER BY id DESC LIMIT 1`,
      channelId,
      value,
    );
    return row && this.#read(row);
  }

  #placeOf(channelId: number, turnId: string): number | undefined {
    const row = this.#database.get(
      "SELECT id FROM turn WHERE channel_id = ? AND turn_id = ? ORDER BY id DESC LIMIT 1",
      channelId,
      turnId,
    );
    return row && numberOf(row, "id");
  }

  /** A turn that cannot be read is reported and skipped, like a row of the log. */
  #read(row: SqlRow): Turn | undefined {
    checkVersion(row);
    try {
      const checked = checkTurn(parseJson(textOf(row, "body")));
      if (checked.ok) return checked.value;
      throw new StorageError("damaged", `Turn ${textOf(row, "turn_id")} cannot be read: ${checked.problem}`);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "damaged") throw error;
      this.#onFault(error);
      return undefined;
    }
  }
}
