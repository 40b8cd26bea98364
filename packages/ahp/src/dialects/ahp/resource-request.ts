// Requests about files and folders, which have the same form in all versions that have them.
import { count, flag, list, object, oneOf, optional, text, type Shape } from "../../model/shape.ts";

/** Patterns or paths, relative to what is watched. */
interface Patterns {
  readonly items: readonly string[];
}

/** The params of each request; URIs are as the client wrote them. */
export interface ResourceRequests {
  readonly resourceRead: { readonly uri: string; readonly encoding?: "utf-8" | "base64" };
  readonly resourceList: { readonly uri: string };
  readonly resourceResolve: { readonly uri: string; readonly followSymlinks?: boolean };
  readonly resourceWrite: {
    readonly uri: string;
    readonly data: string;
    readonly encoding: "utf-8" | "base64";
    readonly createOnly?: boolean;
    readonly mode?: "truncate" | "append" | "insert";
    readonly position?: number;
    readonly ifMatch?: string;
  };
  readonly resourceMkdir: { readonly uri: string };
  readonly resourceCopy: ResourcePair;
  readonly resourceMove: ResourcePair;
  readonly resourceDelete: { readonly uri: string; readonly recursive?: boolean };
  readonly resourceRequest: { readonly uri: string; readonly read?: boolean; readonly write?: boolean };
  readonly createResourceWatch: {
    readonly uri: string;
    readonly recursive?: boolean;
    readonly includes?: Patterns;
    readonly excludes?: Patterns;
  };
}

interface ResourcePair {
  readonly source: string;
  readonly destination: string;
  readonly failIfExists?: boolean;
}

const encoding = oneOf("utf-8", "base64");
const patterns: Shape<Patterns> = object<Patterns>({ items: list(text) });
const pair = object<ResourcePair>({ source: text, destination: text, failIfExists: optional(flag) });

export const resourceShapes: {
  readonly [Method in keyof ResourceRequests]: Shape<ResourceRequests[Method]>;
} = {
  resourceRead: object<ResourceRequests["resourceRead"]>({ uri: text, encoding: optional(encoding) }),
  resourceList: object({ uri: text }),
  resourceResolve: object<ResourceRequests["resourceResolve"]>({ uri: text, followSymlinks: optional(flag) }),
  resourceWrite: object<ResourceRequests["resourceWrite"]>({
    uri: text,
    data: text,
    encoding,
    createOnly: optional(flag),
    mode: optional(oneOf("truncate", "append", "insert")),
    position: optional(count),
    ifMatch: optional(text),
  }),
  resourceMkdir: object({ uri: text }),
  resourceCopy: pair,
  resourceMove: pair,
  resourceDelete: object<ResourceRequests["resourceDelete"]>({ uri: text, recursive: optional(flag) }),
  resourceRequest: object<ResourceRequests["resourceRequest"]>({
    uri: text,
    read: optional(flag),
    write: optional(flag),
  }),
  createResourceWatch: object<ResourceRequests["createResourceWatch"]>({
    uri: text,
    recursive: optional(flag),
    includes: optional(patterns),
    excludes: optional(patterns),
  }),
};
