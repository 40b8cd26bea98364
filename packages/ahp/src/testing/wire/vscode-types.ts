// Compares values with VS Code's published types of AHP 0.9, which `npm run test:reducers` downloads. TypeScript does it: a
// file with the values as constants is compiled.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../..", import.meta.url));

/** Where VS Code's reducers and types are. */
export const vscodeFolder =
  process.env["HOLDFAST_REDUCERS_FOLDER"] ?? path.join(root, "node_modules/.cache/holdfast-reducers");

/** Why a test is skipped, where they are not there. */
export const VSCODE_MISSING = existsSync(path.join(vscodeFolder, "protocol"))
  ? undefined
  : `VS Code's reducers are not in ${vscodeFolder}: npm run test:reducers downloads them`;

/** A value, and the type that it must have: one of those imported below, or a part of one. */
export interface TypedValue {
  readonly type: string;
  readonly value: unknown;
}

const imports: Readonly<Record<string, readonly string[]>> = {
  "common/actions": ["StateAction"],
  "common/messages": ["CommandMap", "ServerNotificationMap"],
  "channels-root/state": ["RootState"],
  "channels-session/state": ["SessionState"],
  "channels-chat/state": ["ChatState"],
  "channels-terminal/state": ["TerminalState"],
};

/** In JSON a member of an enumeration is its text or number, a set of bits is any number, and what is undefined is absent. */
const onTheWire = `
type Wire<T> = T extends string
  ? \`\${T}\`
  : T extends number
    ? number
    : T extends readonly (infer Item)[]
      ? readonly Wire<Item>[]
      : T extends object
        ? { readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: Wire<T[Key]> } & {
            readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Wire<T[Key]>;
          }
        : T;
`;

/** The compiler's complaints about values that do not have their types; fields that a type does not name are none. */
export function typeProblems(values: readonly TypedValue[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-types-"));
  try {
    writeFileSync(path.join(folder, "values.ts"), [...head(), ...values.map(declaration)].join("\n"));
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: "es2023" };
    const modules = { module: "esnext", moduleResolution: "bundler" };
    const settings = { compilerOptions: { ...compilerOptions, ...modules }, files: ["values.ts"] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    const compiler = path.join(root, "node_modules/typescript/bin/tsc");
    const args = [compiler, "--project", folder, "--pretty", "false"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status === 0) return [];
    const lines = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
    return lines.length === 0 ? [`The compiler ended with ${status}.`] : lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function head(): string[] {
  const lines = Object.entries(imports).map(([file, names]) => {
    const from = JSON.stringify(path.join(vscodeFolder, "protocol", `${file}.js`));
    return `import type { ${names.join(", ")} } from ${from};`;
  });
  return [...lines, onTheWire];
}

/** Two steps: a constant that is compared where it is written may not have fields that its type lacks. In a list, as `null` alone cannot be one. */
function declaration({ type, value }: TypedValue, index: number): string {
  const written = `const value${index} = [${JSON.stringify(value)}] as const;`;
  return `${written}\nexport const checked${index}: readonly [Wire<${type}>] = value${index};`;
}
