// Where the host listens: on loopback alone, and what to do when it cannot (C4).
import { isIPv4 } from "node:net";
import type { Config } from "@holdfast/protocol";
import { EXIT_CODES, StartError, systemCode } from "./start-error.ts";

/** An address to listen on. */
export type ListenAddress = Config["listen"];

/** The address of the configuration, with what the arguments say instead. */
export function chooseAddress(
  { listen }: Config,
  { host = listen.host, port = listen.port }: { host?: string | undefined; port?: number | undefined },
): ListenAddress {
  if (isLoopback(host)) return { host, port };
  throw new StartError(
    EXIT_CODES.setup,
    `${JSON.stringify(host)} is not an address of this machine alone. Listen on 127.0.0.1, ::1 or localhost.`,
  );
}

/** What an error while listening means to a person; other errors stay what they are. */
export function explainListenError(error: unknown, { host, port }: ListenAddress): Error {
  const sentence = sentenceFor(systemCode(error), host, port);
  if (sentence !== undefined) return new StartError(EXIT_CODES.address, sentence, { cause: error });
  return error instanceof Error ? error : new Error("The host could not be started", { cause: error });
}

function sentenceFor(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken by another program. Choose another with --port, or any free one with --port 0.`;
    case "EACCES":
      return `Port ${port} may not be used without more rights. Choose one above 1023, or any free one with --port 0.`;
    case "EADDRNOTAVAIL":
      return `This machine has no address ${host} to listen on. Choose another with --host.`;
    default:
      return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
