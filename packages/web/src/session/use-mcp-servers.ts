// The MCP servers that a new session can be given, as the host's schema of sessions names them.
import { useEffect, useState } from "react";
import { ROOT_URI, type JsonValue } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";

/** Their names; none until they are known. */
export function useMcpServers(): readonly string[] {
  const host = useHost();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    host.client.request("resolveSessionConfig", { channel: ROOT_URI }).then(
      ({ schema }) => setNames(readMcpServers(schema)),
      // A session can be opened without them, and the dialog says itself when it cannot.
      () => undefined,
    );
  }, [host]);
  return names;
}

/** The choices of `mcpServers` in a JSON Schema. */
function readMcpServers(schema: JsonValue): readonly string[] {
  const choices = ["properties", "mcpServers", "items", "enum"].reduce<JsonValue | undefined>(
    fieldOf,
    schema,
  );
  return Array.isArray(choices) ? choices.filter((name) => typeof name === "string") : [];
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([field]) => field === name)?.[1];
}
