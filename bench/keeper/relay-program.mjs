// A bare relay: copies the pipe on its stdin to a Unix socket, in pieces of 256 KiB with a length before each.
import { connect, Socket } from "node:net";

const pieceBytes = 256 * 1024;
const target = connect(process.argv[2] ?? "");
let piece = Buffer.allocUnsafeSlow(pieceBytes);
let filled = 0;

function flush() {
  if (filled === 0) return;
  const header = Buffer.allocUnsafe(4);
  header.writeUInt32BE(filled, 0);
  target.cork();
  target.write(header);
  target.write(piece.subarray(0, filled));
  target.uncork();
  piece = Buffer.allocUnsafeSlow(pieceBytes);
  filled = 0;
}

const buffer = Buffer.allocUnsafeSlow(64 * 1024);
/** @type {import("node:net").SocketConstructorOpts & { onread: import("node:net").OnReadOpts }} */
const options = {
  fd: 0,
  readable: true,
  writable: false,
  onread: {
    buffer,
    callback: (length) => {
      if (filled + length > pieceBytes) flush();
      buffer.copy(piece, filled, 0, length);
      filled += length;
      return target.writableLength < 4 * pieceBytes;
    },
  },
};
const source = new Socket(options);
target.on("drain", () => source.resume());
source.on("end", () => {
  flush();
  target.end();
});
source.resume();
