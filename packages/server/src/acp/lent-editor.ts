// What an editor lends to the agents of its sessions when a person asks for it: its files, by ACP's own requests.
import { randomUUID } from "node:crypto";
import type { Editor } from "@holdfast/core";
import type { Connection } from "@holdfast/jsonrpc";
import type { EditorFeatures } from "./features.ts";
import { membersOf } from "./params.ts";

/** What a person asked an editor to lend. */
export interface LentParts {
  readonly files: boolean;
}

export interface LentEditorParts {
  readonly rpc: Pick<Connection, "request">;
  readonly sessionId: string;
  readonly name: string;
  readonly features: EditorFeatures;
  readonly lends: LentParts;
}

/** The editor as its session uses it; undefined where it lends nothing. */
export function lendEditor({ rpc, sessionId, name, features, lends }: LentEditorParts): Editor | undefined {
  if (!lends.files || !(features.readsFiles || features.writesFiles)) return undefined;
  const ask = (method: string, params: object, signal: AbortSignal): Promise<unknown> =>
    // An id that no other connection used: the editor's bridge answers a question that is asked again.
    rpc.request(method, { sessionId, ...params }, { id: `${method}-${randomUUID()}`, signal });
  return {
    name,
    ...(features.readsFiles && {
      readFile: async (path, signal) => {
        const { content } = membersOf(await ask("fs/read_text_file", { path }, signal));
        if (typeof content === "string") return content;
        throw new Error("the response to fs/read_text_file has no content");
      },
    }),
    ...(features.writesFiles && {
      writeFile: async (path, content, signal) => {
        await ask("fs/write_text_file", { path, content }, signal);
      },
    }),
  };
}

/** What was asked for and the editor does not have, as sentences. */
export function listMissing(lends: LentParts, { readsFiles, writesFiles }: EditorFeatures): string[] {
  if (!lends.files) return [];
  return [
    ...(readsFiles
      ? []
      : ["The editor does not offer fs.readTextFile: the host reads files itself, as they are saved."]),
    ...(writesFiles ? [] : ["The editor does not offer fs.writeTextFile: the host writes files itself."]),
  ];
}
