// What the client said at `initialize` that it can do.
import { isObject } from "./params.ts";
import type { Params } from "./params.ts";

/** What may be asked of the client; what it did not name it cannot do. */
export interface ClientCapabilities {
  readonly hasTerminals: boolean;
  readonly canReadFiles: boolean;
  readonly canWriteFiles: boolean;
  readonly canShowForms: boolean;
}

/** Reads the params of `initialize`. */
export function readClientCapabilities(params: Params): ClientCapabilities {
  const capabilities = fieldsOf(params["clientCapabilities"]);
  const fs = fieldsOf(capabilities["fs"]);
  return {
    hasTerminals: capabilities["terminal"] === true,
    canReadFiles: fs["readTextFile"] === true,
    canWriteFiles: fs["writeTextFile"] === true,
    canShowForms: isObject(fieldsOf(capabilities["elicitation"])["form"]),
  };
}

function fieldsOf(value: unknown): Params {
  return isObject(value) ? value : {};
}
