// What carries messages between the client and a host.
import { joinChunks, type MessageSink } from "@holdfast/jsonrpc";

/** A connection that carries whole texts, in order, both ways. */
export interface MessageTransport {
  send(text: string): void;
  /** Called once, with what to call for each text that arrives. */
  onMessage(listener: (text: string) => void): void;
  /** Called once, with what to call when nothing more will come. */
  onClose(listener: (cause?: unknown) => void): void;
  close(): void;
}

/** A transport as the sending side of a JSON-RPC connection; it takes everything and never asks to wait. */
export function transportSink(transport: MessageTransport): MessageSink {
  const decoder = new TextDecoder();
  return {
    write(chunks) {
      const message = joinChunks(chunks);
      transport.send(typeof message === "string" ? message : decoder.decode(message));
      return true;
    },
    onDrain() {
      // The transport never says that it is full, so it never has to say that it is not.
    },
    close() {
      transport.close();
    },
  };
}
