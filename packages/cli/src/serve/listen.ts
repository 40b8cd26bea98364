// Where the host listens, and what to do when it cannot (C4).
import { HostError, type Config } from "@holdfast/protocol";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError, systemCode } from "./start-error.ts";

/** An address to listen on. */
export type ListenAddress = Config["listen"];

/** The address of the configuration, with what the arguments say instead. */
export function chooseAddress(
  { listen }: Config,
  { host = listen.host, port = listen.port }: { host?: string | undefined; port?: number | undefined },
): ListenAddress {
  return { ...listen, host, port };
}

/** What an error while starting to listen means to a person; other errors stay what they are. */
export function explainListenError(error: unknown, { host, port }: ListenAddress): Error {
  if (!(error instanceof Error)) return new Error("The host could not be started", { cause: error });
  if (error instanceof HostError && error.code === "HOST_NOT_ALLOWED") {
    return new StartError(EXIT_CODES.setup, error.message, { cause: error });
  }
  // The server wraps what the system says in an error of its own, which has a code too.
  const sentence =
    sentenceFor(systemCode(error.cause), host, port) ?? sentenceFor(systemCode(error), host, port);
  return sentence === undefined ? error : new StartError(EXIT_CODES.address, sentence, { cause: error });
}

function sentenceFor(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken by another program. Choose another with --port, or any free one with --port 0.`;
    case "EACCES":
      return `Port ${port} may not be used without more rights. Choose one above 1023, or any free one with --port 0.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `This machine has no address ${host} to listen on. Choose another with --host.`;
    default:
      return undefined;
  }
}
