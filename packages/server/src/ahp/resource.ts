// Handlers of requests about files and folders.
import { isUtf8 } from "node:buffer";
import type { RequestHandlers, HandlerDeps } from "./handlers.ts";
import { invalidParams } from "./rpc-error.ts";

type ResourceMethod =
  | "resourceRead"
  | "resourceList"
  | "resourceResolve"
  | "resourceWrite"
  | "resourceMkdir"
  | "resourceCopy"
  | "resourceMove"
  | "resourceDelete"
  | "resourceRequest"
  | "createResourceWatch";

export function resourceHandlers({
  port: { files },
  watches,
}: HandlerDeps): Pick<RequestHandlers, ResourceMethod> {
  const { resources, access } = files;
  return {
    resourceRead: async ({ record }, { uri, encoding = "utf-8" }) =>
      showContent(await files.read(uri, record), encoding),
    resourceList: async ({ record }, { uri }) => ({ entries: await resources.list(uri, record) }),
    resourceResolve: ({ record }, { uri, followSymlinks = true }) =>
      resources.resolve(uri, followSymlinks, record),
    resourceWrite: async ({ record }, { uri, data, encoding, ...how }) => {
      await resources.write(uri, { bytes: readContent(data, encoding), ...how }, record);
      return {};
    },
    resourceMkdir: async ({ record }, { uri }) => {
      await resources.makeFolder(uri, record);
      return {};
    },
    resourceCopy: async ({ record }, { source, destination, failIfExists = false }) => {
      await resources.copy(source, destination, failIfExists, record);
      return {};
    },
    resourceMove: async ({ record }, { source, destination, failIfExists = false }) => {
      await resources.move(source, destination, failIfExists, record);
      return {};
    },
    resourceDelete: async ({ record }, { uri, recursive = false }) => {
      await resources.delete(uri, recursive, record);
      return {};
    },
    resourceRequest: async ({ record }, { uri, read = false, write = false }) => {
      if (!read && !write) throw invalidParams("read, write: one of them must be true");
      await access.grant(uri, write ? ["write"] : ["read"], record);
      return {};
    },
    createResourceWatch: (subscriptions, params) => watches.create(params, subscriptions),
  };
}

/** Content that is not text is returned in base64, whatever encoding was requested. */
function showContent(
  { bytes, contentType }: { readonly bytes: Uint8Array; readonly contentType?: string },
  encoding: "utf-8" | "base64",
): object {
  const used = encoding === "utf-8" && isUtf8(bytes) ? "utf-8" : "base64";
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    data: data.toString(used === "utf-8" ? "utf8" : "base64"),
    encoding: used,
    ...(contentType !== undefined && { contentType }),
  };
}

function readContent(data: string, encoding: "utf-8" | "base64"): Buffer {
  if (encoding === "utf-8") return Buffer.from(data, "utf8");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw invalidParams("data: expected base64");
  return Buffer.from(data, "base64");
}
