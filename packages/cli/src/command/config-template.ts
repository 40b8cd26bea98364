// The configuration file that `config init` writes: every setting, explained, with what holds without it.
import { configJsonSchema, type JsonSchema } from "@holdfast/protocol";

const indentation = "  ";

/** What to show of settings that have no default, or one that says nothing. */
const examples: Readonly<Record<string, unknown>> = {
  agents: { mine: { command: "/opt/mine/agent", args: ["--acp"], label: "My agent" } },
  "defaults.cwd": "/srv/work",
  "defaults.approvalPolicy": "approve-reads",
  "defaults.timeoutSeconds": 3600,
  "defaults.model": "large",
  "defaults.runtimeMode": "plan",
  allowedAgents: ["shell"],
  "listen.allowRemote": false,
  "listen.allowedHosts": ["holdfast.example"],
};

/** A configuration in which everything is commented out, so that it means the defaults; made from the schema itself. */
export function configTemplate(): string {
  const lines = [
    "// The configuration of Holdfast: JSON with comments. Everything here is commented out, so the defaults hold.",
    "// Take the two slashes away before a setting to change it; `holdfast config check` finds mistakes.",
    "{",
    ...settingLines(configJsonSchema(), 1),
    "}",
    "",
  ];
  return lines.join("\n");
}

function settingLines(schema: JsonSchema, depth: number, group = ""): string[] {
  const settings = Object.entries(propertiesOf(schema)).filter(([name]) => name !== "$schema");
  return settings.flatMap(([name, setting]) => {
    const place = group === "" ? name : `${group}.${name}`;
    const { description } = setting;
    return [
      ...(typeof description === "string" ? [line(depth, `// ${description}`)] : []),
      ...valueLines(name, setting, depth, place),
    ];
  });
}

/** A group stands open, so that a setting in it needs no other change. */
function valueLines(name: string, setting: JsonSchema, depth: number, place: string): string[] {
  const key = JSON.stringify(name);
  if (Object.keys(propertiesOf(setting)).length > 0) {
    return [line(depth, `${key}: {`), ...settingLines(setting, depth + 1, place), line(depth, "},")];
  }
  return [line(depth, `// ${key}: ${JSON.stringify(examples[place] ?? setting["default"])},`)];
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema["properties"] ?? {}) as Record<string, JsonSchema>;
}

function line(depth: number, text: string): string {
  return indentation.repeat(depth) + text;
}
