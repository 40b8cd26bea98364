// What clients can read of files, and of what tool calls show.
import { isUtf8 } from "node:buffer";
import type { HandlerTools, RequestHandlers } from "./handlers.ts";

/** The handler of `resourceRead`; what is no text is told in base64, whatever was asked for. */
export function resourceHandlers({ port }: HandlerTools): Pick<RequestHandlers, "resourceRead"> {
  return {
    resourceRead: async (_conversation, { uri, encoding = "utf-8" }) => {
      const { bytes, contentType } = await port.files.read(uri);
      const used = encoding === "utf-8" && isUtf8(bytes) ? "utf-8" : "base64";
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return {
        data: data.toString(used === "utf-8" ? "utf8" : "base64"),
        encoding: used,
        ...(contentType !== undefined && { contentType }),
      };
    },
  };
}
