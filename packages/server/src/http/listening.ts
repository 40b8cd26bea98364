// Makes a server listen, or says what to do when it cannot.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HostError } from "@holdfast/protocol";
import { formatAuthority } from "../auth/loopback.ts";

/** Begins to listen; gives the port, which the system chooses where 0 was asked for (A41). */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new HostError("INTERNAL", explainListenError(cause, host, port), { cause });
  }
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function explainListenError(cause: unknown, host: string, port: number): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another, or 0 for any that is free.`;
    case "EACCES":
      return `Port ${port} needs special rights. Choose one above 1023, or 0 for any that is free.`;
    default:
      return `Cannot listen on ${formatAuthority(host, port)}. Choose another address.`;
  }
}
