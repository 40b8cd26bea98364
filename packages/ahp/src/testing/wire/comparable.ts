// States as far as a viewer of a channel can know them: without what its version has no action for.
import type { Dialect } from "../../dialects/dialect.ts";
import { v0_5_2 } from "../../dialects/v1_0/v1-0.ts";
import type { SessionState } from "../../model/session/session.ts";
import { fieldsOf, listOf, type WireFields } from "./reference.ts";

/**
 * The part of a session that a viewer can know: no version has an action for the activity bits of the status, the settings
 * themselves, the order of folders, a model that is no longer chosen, or a session that is over.
 */
export function knowable(seen: WireFields, { lifecycle, runtimeOptions }: SessionState): WireFields {
  const { status, config: _config, workingDirectory: _folder, workingDirectories, summary, ...rest } = seen;
  const { workingDirectory: _directory, modifiedAt: _modifiedAt, model, ...kept } = fieldsOf(summary);
  const isOver = lifecycle.status === "closed";
  return {
    ...rest,
    ...(isOver && { lifecycle: undefined, creationError: undefined }),
    flags: Number(status) & ~31,
    workingDirectories: [...new Set(listOf(workingDirectories).map(String))].toSorted((a, b) =>
      a < b ? -1 : 1,
    ),
    summary: { ...kept, model: runtimeOptions.model === undefined ? undefined : model },
  };
}

export interface Masks {
  readonly dialect: Dialect;
  readonly hasTruncated: boolean;
  readonly maskFlags: boolean;
}

const READ_AND_ARCHIVED = 96;

/** The part of a chat that a viewer can know; each exception is named in SPEC rule E33. */
export function comparable(seen: WireFields, { dialect, hasTruncated, maskFlags }: Masks): unknown {
  const { summary, ...rest } = seen;
  const flat: WireFields = { ...rest, ...fieldsOf(summary) };
  let status = Number(flat["status"]);
  if (maskFlags) status &= ~READ_AND_ARCHIVED;
  // After a cut, a viewer takes a chat for idle even if the turn that is now the last one failed.
  if (hasTruncated && (status & 31) === 2) status -= 1;
  const { modifiedAt: _modifiedAt, title: _title, _meta, ...kept } = flat;
  return {
    ...kept,
    status,
    turns: listOf(flat["turns"]).map((turn) => comparableTurn(turn, dialect)),
    activeTurn:
      flat["activeTurn"] === undefined ? undefined : comparableTurn(fieldsOf(flat["activeTurn"]), dialect),
  };
}

export function comparableTurn(turn: WireFields, dialect: Dialect): WireFields {
  const parts = dialect === v0_5_2 ? withAnsweredLast(turn) : listOf(turn["responseParts"]);
  const kept = parts.filter(
    (part, index) => part["kind"] !== "error" || (turn["state"] === "error" && index === parts.length - 1),
  );
  const { _meta, ...usage } = fieldsOf(turn["usage"]);
  return {
    ...turn,
    usage,
    responseParts: kept.map((part) =>
      part["kind"] === "toolCall" ? comparableCall(fieldsOf(part["toolCall"])) : part,
    ),
  };
}

/** A viewer of 0.5.2 appends a question where it was answered, a snapshot shows it where it was asked. */
function withAnsweredLast(turn: WireFields): readonly WireFields[] {
  const parts = listOf(turn["responseParts"]);
  const isAnswered = ({ kind }: WireFields): boolean => kind === "inputRequest";
  const answered = parts.filter(isAnswered).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return [...parts.filter((part) => !isAnswered(part)), ...answered];
}

function keyOf(part: WireFields): string {
  return JSON.stringify([fieldsOf(part["request"])["id"], part]);
}

function comparableCall(call: WireFields): WireFields {
  const {
    displayName: _name,
    toolName: _tool,
    selectedOption: _option,
    partialInput: _partial,
    ...kept
  } = call;
  const { _meta, toolInput, content, edits, ...rest } = kept;
  const isCutOff = rest["status"] === "cancelled" && rest["reason"] === "skipped";
  return {
    ...rest,
    toolInput: isCutOff ? undefined : toolInput,
    content: listOf(content),
    edits: listOf(fieldsOf(edits)["items"]),
  };
}
