// Reads an event stream of a host frame by frame, exactly as it came.

/** A frame of a stream: its id, and its text without the empty line at its end. */
export interface Frame {
  readonly id: number | undefined;
  readonly text: string;
}

/** Reads until the stream ends, its connection breaks, or the reader is stopped. */
export async function* readFrames(response: Response): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      let end = rest.indexOf("\n\n");
      while (end >= 0) {
        const text = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (!text.startsWith(":")) yield { id: idOf(text), text };
        end = rest.indexOf("\n\n");
      }
    }
  } catch {
    // The host is gone; what was read was read.
  }
}

function idOf(text: string): number | undefined {
  const id = /^id: (\d+)$/m.exec(text)?.[1];
  return id === undefined ? undefined : Number(id);
}
