// The updates of an agent that a host takes: from the child's pipe through the hub to a reader that has seen all text.
import type { Action } from "@holdfast/ahp";
import type { Host } from "@holdfast/core";

const me = { kind: "owner" } as const;
/** Characters in each update of the flood agent. */
const updateCharacters = 230;

/** Updates a second in one turn of a new session of the agent `flood`. */
export async function updatesPerSecond(host: Host, folder: string, updates: number): Promise<number> {
  const session = { agent_id: "flood", cwd: folder, approvalPolicy: "approve-all" } as const;
  const { session_key: key } = await host.createSession(session, me);
  const wanted = updates * updateCharacters;
  let seen = 0;
  const startedMs = performance.now();
  await readTurn(host, key, `flood ${updates}`, (action) => {
    if (action.type === "chat/delta") seen += action.content.length;
    else if (action.type === "chat/responsePart" && action.part.kind === "markdown") {
      seen += action.part.content.length;
    }
  });
  const perSecond = (updates / (performance.now() - startedMs)) * 1000;
  if (seen !== wanted) throw new Error(`the reader saw ${seen} of ${wanted} characters`);
  await host.closeSession(key, undefined, me);
  return perSecond;
}

/** Sends a message and reads every action of the chat, up to the end of the turn. */
export function readTurn(
  host: Host,
  key: string,
  message: string,
  onAction: (action: Action) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const read = (): void => {
      for (;;) {
        const reading = turn.chat.read();
        if (reading.kind !== "entries" || reading.entries.length === 0) return;
        for (const { action } of reading.entries) {
          onAction(action);
          if (action.type === "chat/turnComplete") resolve();
        }
      }
    };
    const turn = host.streamTurn(key, { message }, me, read);
    // A reader is woken for what comes after its last look.
    read();
  });
}
