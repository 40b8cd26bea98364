// Reads the body of a request as text, within the limit of the contract.
import { HostError, LIMITS } from "@holdfast/protocol";

/** The body's text, empty when there is none; throws as soon as it is known to be too large (A7). */
export async function readBody(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared === null && !request.headers.has("transfer-encoding")) return "";
  if (Number(declared ?? 0) > limitBytes) throw new HostError("BODY_TOO_LARGE");
  try {
    // Node lets no more bytes through than were declared.
    return declared === null ? await readCounted(request, limitBytes) : await request.text();
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError("INVALID_REQUEST", "The connection ended before the body did. Send it again.", {
      cause,
    });
  }
}

async function readCounted(request: Request, limitBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  const body: AsyncIterable<Uint8Array> | null = request.body;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw new HostError("BODY_TOO_LARGE");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
