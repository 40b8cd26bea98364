// Reads the source files of the repository, and what they import, say and export.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

type Parsed = ReturnType<typeof parseSync>;

/** Absolute path of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A file with its path from the repository's root, written with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One module that a file names. */
export interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const skippedFolders = new Set(["node_modules", "dist", "fixtures", ".git"]);

/** Every code file below `folders`, without dependencies, build output and fixtures. */
export function readSourceFiles(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => filesBelow(folder))
    .filter((filePath) => /\.(ts|tsx|mjs|js)$/.test(filePath))
    .map((filePath) => ({ path: filePath, text: readFileSync(path.join(root, filePath), "utf8") }));
}

/** Names of the folders in `packages/`. */
export function packageNames(): string[] {
  return readdirSync(path.join(root, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** Whether a file is only for tests, and so not part of what users get. */
export function isForTests(filePath: string): boolean {
  return /\.test\.tsx?$/.test(filePath) || filePath.includes("/src/testing/");
}

/** Several rules look at the same files. */
const parsed = new WeakMap<SourceFile, Parsed>();

/** Syntax tree and comments of a file. */
export function parse(file: SourceFile): Parsed {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.text);
  parsed.set(file, result);
  return result;
}

/** Every module that `file` imports or exports from: at the top, by `import()`, `require()` or in a type. */
export function importsOf(file: SourceFile): Import[] {
  const { module } = parse(file);
  const imports: Import[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isTypeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
  }));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest) imports.push({ specifier: moduleRequest.value, isTypeOnly: isType });
    }
  }
  for (const [, specifier] of file.text.matchAll(/\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/g)) {
    if (specifier !== undefined) imports.push({ specifier, isTypeOnly: false });
  }
  return imports;
}

/** Every name that `file` exports from another module. */
export function reexportsOf(file: SourceFile): { specifier: string; name: string }[] {
  const { module } = parse(file);
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest && importName.name ? [{ specifier: moduleRequest.value, name: importName.name }] : [],
    ),
  );
}

/** The names of exports that no doc comment stands before; an overload shares its first one's comment. */
export function exportsWithoutComment(file: SourceFile): string[] {
  const { program, comments } = parse(file);
  const docCommentEnds = comments
    .filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
    .map((comment) => comment.end);
  const documented = new Set<string>();
  const missing: string[] = [];
  for (const statement of program.body) {
    if (!("declaration" in statement) || !statement.declaration) continue;
    const name = declaredName(statement.declaration);
    const isDocumented = docCommentEnds.some(
      (end) => end <= statement.start && file.text.slice(end, statement.start).trim() === "",
    );
    if (isDocumented) documented.add(name);
    else if (!documented.has(name)) missing.push(name);
  }
  return missing;
}

/** Every text in `file` that may be the title of a test: strings and pieces of templates, but no comments. */
export function stringsOf(file: SourceFile): string[] {
  const strings: string[] = [];
  collectStrings(parse(file).program.body, strings);
  return strings;
}

/** Every text of a program is somewhere in its syntax tree. */
function collectStrings(value: unknown, strings: string[]): void {
  if (typeof value === "string") strings.push(value);
  else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) collectStrings(each, strings);
  }
}

/** The text of every comment in `file`. */
export function commentsOf(file: SourceFile): string[] {
  return parse(file).comments.map(({ value }) => value);
}

function declaredName(declaration: object): string {
  if ("id" in declaration && isNamed(declaration.id)) return declaration.id.name;
  if ("declarations" in declaration && Array.isArray(declaration.declarations)) {
    return declaration.declarations
      .map((each: { id: unknown }) => (isNamed(each.id) ? each.id.name : "…"))
      .join(", ");
  }
  return "default";
}

function isNamed(id: unknown): id is { name: string } {
  return typeof id === "object" && id !== null && "name" in id && typeof id.name === "string";
}

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const entryPath = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesBelow(entryPath);
    return [entryPath];
  });
}
