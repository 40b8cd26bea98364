// Reads the bodies of requests as text, each within the limit of the contract, and all together within what memory bears.
import { HostError, LIMITS } from "@holdfast/protocol";
import { rateLimited } from "../auth/failure-limit.ts";

/** Total size of the bodies being read: a few of the largest, or very many of the usual. */
const defaultRoomBytes = 4 * LIMITS.bodyBytes;
/** Bodies that say they are no larger are not worth counting. */
const smallBytes = 64 * 1024;
const retryMs = 1000;

export class BodyReader {
  readonly #roomBytes: number;
  #takenBytes = 0;

  constructor(roomBytes: number = defaultRoomBytes) {
    this.#roomBytes = roomBytes;
  }

  /** The body's text, empty when there is none; throws as soon as it is known to be too large (A7, A82). */
  async read(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<string> {
    const declared = request.headers.get("content-length");
    if (declared === null && !request.headers.has("transfer-encoding")) return "";
    if (Number(declared ?? 0) > limitBytes) throw new HostError("BODY_TOO_LARGE");
    try {
      // Node lets no more bytes through than were declared.
      const isSmall = declared !== null && Number(declared) <= smallBytes;
      return isSmall ? await request.text() : await this.#readCounted(request, limitBytes);
    } catch (cause) {
      if (cause instanceof HostError) throw cause;
      throw new HostError("INVALID_REQUEST", "The connection ended before the body did. Send it again.", {
        cause,
      });
    }
  }

  async #readCounted(request: Request, limitBytes: number): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let sizeBytes = 0;
    const body: AsyncIterable<Uint8Array> | null = request.body;
    try {
      for await (const chunk of body ?? []) {
        sizeBytes += chunk.byteLength;
        this.#takenBytes += chunk.byteLength;
        if (sizeBytes > limitBytes) throw new HostError("BODY_TOO_LARGE");
        if (this.#takenBytes > this.#roomBytes) throw tooManyAtOnce();
        text += decoder.decode(chunk, { stream: true });
      }
    } finally {
      this.#takenBytes -= sizeBytes;
    }
    return text + decoder.decode();
  }
}

function tooManyAtOnce(): HostError {
  return rateLimited(retryMs, "Too many large bodies arrive at once. Send this one again a little later.");
}
