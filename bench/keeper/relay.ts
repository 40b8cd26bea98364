// The time that a bare relay takes for a flood, to a reader that only counts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("relay-program.mjs", import.meta.url));

/** Milliseconds from the start of the command to its last byte. */
export async function relayMs(command: string, expectedBytes: number): Promise<number> {
  const address = path.join(tmpdir(), `holdfast-relay-${process.pid}.sock`);
  rmSync(address, { force: true });
  const server = createServer().listen(address);
  await once(server, "listening");
  let totalBytes = 0;
  const line = `${command} | '${process.execPath}' '${program}' '${address}'`;
  const startedMs = performance.now();
  const child = spawn("sh", ["-c", line], { stdio: ["ignore", "inherit", "inherit"] });
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.on("data", (chunk: Buffer) => (totalBytes += chunk.length));
  await once(socket, "end");
  const tookMs = performance.now() - startedMs;
  socket.destroy();
  server.close();
  if (child.exitCode === null) await once(child, "close");
  if (totalBytes < expectedBytes) throw new Error(`the relay lost ${expectedBytes - totalBytes} bytes`);
  return tookMs;
}
