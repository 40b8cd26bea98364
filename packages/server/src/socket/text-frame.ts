// Makes WebSocket frames by hand, so that one frame can be written to any number of sockets.

const textOpcode = 0x81;
const length16 = 126;
const length64 = 127;

/** A whole frame with a text, unmasked as servers send it (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  return textFrames([text]);
}

/** Frames one after another in one piece of memory. */
export function textFrames(texts: readonly string[]): Buffer {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const frames = Buffer.allocUnsafe(
    sizes.reduce((sum, sizeBytes) => sum + headSize(sizeBytes) + sizeBytes, 0),
  );
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = writeHead(frames, at, sizes[index] ?? 0);
    at += frames.write(text, at, "utf8");
  }
  return frames;
}

/** Writes what comes before the text; gives where that begins. */
function writeHead(frames: Buffer, at: number, sizeBytes: number): number {
  const headBytes = headSize(sizeBytes);
  frames[at] = textOpcode;
  if (headBytes === 2) frames[at + 1] = sizeBytes;
  else if (headBytes === 4) {
    frames[at + 1] = length16;
    frames.writeUInt16BE(sizeBytes, at + 2);
  } else {
    frames[at + 1] = length64;
    frames.writeUInt32BE(Math.floor(sizeBytes / 2 ** 32), at + 2);
    frames.writeUInt32BE(sizeBytes >>> 0, at + 6);
  }
  return at + headBytes;
}

/** The texts of frames that were made here, in their order. */
export function readTextFrames(frames: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < frames.length;) {
    const { headBytes, sizeBytes } = readHead(frames, at);
    const start = at + headBytes;
    at = start + sizeBytes;
    texts.push(frames.toString("utf8", start, at));
  }
  return texts;
}

function readHead(frames: Buffer, at: number): { readonly headBytes: number; readonly sizeBytes: number } {
  const length = frames.readUInt8(at + 1);
  if (length < length16) return { headBytes: 2, sizeBytes: length };
  if (length === length16) return { headBytes: 4, sizeBytes: frames.readUInt16BE(at + 2) };
  return { headBytes: 10, sizeBytes: frames.readUInt32BE(at + 2) * 2 ** 32 + frames.readUInt32BE(at + 6) };
}

function headSize(sizeBytes: number): 2 | 4 | 10 {
  if (sizeBytes < length16) return 2;
  return sizeBytes < 2 ** 16 ? 4 : 10;
}
