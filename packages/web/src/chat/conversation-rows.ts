// A chat as a flat list of rows, so that only those in sight have to be drawn.
import {
  turnParts,
  type ActiveTurn,
  type ChatState,
  type ResponsePart,
  type ToolCall,
  type Turn,
} from "@holdfast/ahp";

export type ConversationRow =
  | { readonly kind: "message"; readonly key: string; readonly turn: Turn | ActiveTurn }
  | { readonly kind: "plans"; readonly key: string; readonly turn: Turn | ActiveTurn }
  | {
      readonly kind: "part";
      readonly key: string;
      readonly turn: Turn | ActiveTurn;
      readonly part: ResponsePart;
      /** Whether more text may come. */
      readonly isOpen: boolean;
      /** The tool call whose terminal shows the same already. */
      readonly repeated?: ToolCall | undefined;
    }
  | { readonly kind: "working"; readonly key: string; readonly turn: ActiveTurn }
  | { readonly kind: "end"; readonly key: string; readonly turn: Turn };

const rowsOfEnded = new WeakMap<Turn, readonly ConversationRow[]>();

/** The rows of a chat, oldest first; those of turns that ended are made once. */
export function conversationRows({ turns, activeTurn }: ChatState): ConversationRow[] {
  const rows: ConversationRow[] = [];
  for (const turn of turns) {
    let made = rowsOfEnded.get(turn);
    if (made === undefined) {
      made = [...contentRows(turn), { kind: "end", key: `${turn.id}:end`, turn }];
      rowsOfEnded.set(turn, made);
    }
    for (const row of made) rows.push(row);
  }
  if (activeTurn) {
    rows.push(...contentRows(activeTurn), {
      kind: "working",
      key: `${activeTurn.id}:working`,
      turn: activeTurn,
    });
  }
  return rows;
}

function contentRows(turn: Turn | ActiveTurn): ConversationRow[] {
  const openPart = "openPart" in turn ? turn.openPart : undefined;
  const all = turnParts(turn);
  const parts = all.map((part, index): ConversationRow => ({
    kind: "part",
    key: `${turn.id}:${index}`,
    turn,
    part,
    isOpen: part === openPart,
    repeated: repeatedCall(part, all),
  }));
  const plans: ConversationRow[] =
    turn.plans.length === 0 ? [] : [{ kind: "plans", key: `${turn.id}:plans`, turn }];
  return [{ kind: "message", key: `${turn.id}:message`, turn }, ...plans, ...parts];
}

function repeatedCall(part: ResponsePart, parts: readonly ResponsePart[]): ToolCall | undefined {
  if (part.kind !== "markdown" || part.repeats === undefined) return undefined;
  const { repeats } = part;
  const found = parts.find((each) => each.kind === "toolCall" && each.toolCall.toolCallId === repeats);
  return found?.kind === "toolCall" ? found.toolCall : undefined;
}
