// Makes WebSocket frames by hand, so that one frame can be written to any number of sockets.

const textOpcode = 0x81;
const length16 = 126;
const length64 = 127;

/** A whole frame with a text, unmasked as servers send it (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  const sizeBytes = Buffer.byteLength(text);
  const headBytes = headSize(sizeBytes);
  const frame = Buffer.allocUnsafe(headBytes + sizeBytes);
  frame[0] = textOpcode;
  if (headBytes === 2) frame[1] = sizeBytes;
  else if (headBytes === 4) {
    frame[1] = length16;
    frame.writeUInt16BE(sizeBytes, 2);
  } else {
    frame[1] = length64;
    frame.writeUInt32BE(Math.floor(sizeBytes / 2 ** 32), 2);
    frame.writeUInt32BE(sizeBytes >>> 0, 6);
  }
  frame.write(text, headBytes, "utf8");
  return frame;
}

function headSize(sizeBytes: number): 2 | 4 | 10 {
  if (sizeBytes < length16) return 2;
  return sizeBytes < 2 ** 16 ? 4 : 10;
}
