// The choices that the host offers for a new session: MCP servers and levels of isolation.
import { type JsonValue, ROOT_URI } from "@holdfast/ahp";
import { useEffect, useState } from "react";
import { useConnection, useHost } from "../host/use-host.ts";

/** The levels that may be chosen, strongest first, and the host's default. */
export interface OfferedIsolation {
  readonly choices: readonly string[];
  readonly level: string;
}

export interface OfferedConfig {
  /** Their names. */
  readonly mcpServers: readonly string[];
  /** Absent until it is known, and for older hosts. */
  readonly isolation?: OfferedIsolation | undefined;
}

const nothing: OfferedConfig = { mcpServers: [] };

/** The choices; none until they are known. */
export function useOfferedConfig(): OfferedConfig {
  const host = useHost();
  const isConnected = useConnection().status.status === "connected";
  const [offered, setOffered] = useState(nothing);
  useEffect(() => {
    if (!isConnected) return;
    host.client.request("resolveSessionConfig", { channel: ROOT_URI }).then(
      ({ schema }) => setOffered(readOfferedConfig(schema)),
      // A session can be opened without them, and the dialog says itself when it cannot.
      () => undefined,
    );
  }, [host, isConnected]);
  return offered;
}

/** Reads the choices from a JSON Schema. */
function readOfferedConfig(schema: JsonValue): OfferedConfig {
  const level = read(schema, "properties", "isolation", "default");
  const choices = textsOf(read(schema, "properties", "isolation", "enum")).toReversed();
  return {
    mcpServers: textsOf(read(schema, "properties", "mcpServers", "items", "enum")),
    ...(typeof level === "string" && { isolation: { choices, level } }),
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function read(value: JsonValue, ...names: readonly string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>(fieldOf, value);
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([field]) => field === name)?.[1];
}
