// Which package may use which, and the borders inside packages, with the check that finds what crosses them.
import path from "node:path";
import { importsOf, isForTests, type Import, type SourceFile } from "./source-file.ts";

/** What one package may use. */
export interface Room {
  /** Other packages (`core`), or single entries of them (`terminal/view`). */
  readonly uses: readonly string[];
  /** Packages of which only types may be used. */
  readonly usesTypesOf?: readonly string[];
  /** What its tests may use besides: real peers instead of mocks; not a dependency. */
  readonly testsUse?: readonly string[];
  /** The only packages from npm it may import; absent: no rule. */
  readonly npm?: readonly string[];
  /** Runs in browsers too: imports nothing of Node. */
  readonly isBrowserSafe?: boolean;
  /** Folders that reach nothing of some others, directly or through files between them. */
  readonly borders?: Readonly<Record<string, Border>>;
}

/** What a folder inside a package must not reach. */
export interface Border {
  readonly neverReaches: readonly string[];
  /** The only modules of Node it may reach; absent: no rule. */
  readonly nodeModules?: readonly string[];
}

/** The fields of a package's manifest that draw arrows. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package as the check sees it. */
export interface PackageSources {
  readonly name: string;
  readonly manifest: Manifest;
  readonly files: readonly SourceFile[];
}

const scope = "@holdfast/";

/** The arrows of the design: a package that is not here has no place yet. */
export const rooms: Readonly<Record<string, Room>> = {
  protocol: { uses: [], npm: ["zod"], isBrowserSafe: true },
  jsonrpc: { uses: [], npm: [], isBrowserSafe: true },
  ahp: { uses: ["jsonrpc"], npm: [], isBrowserSafe: true },
  terminal: {
    uses: [],
    npm: ["@lydell/node-pty", "@xterm/headless"],
    borders: {
      view: { neverReaches: ["process", "acp"], nodeModules: ["node:buffer"] },
      process: { neverReaches: ["view", "acp"] },
    },
  },
  keeper: { uses: ["terminal/process"] },
  core: {
    uses: [
      "protocol",
      "ahp",
      "jsonrpc",
      "terminal/view",
      "terminal/acp-parts",
      "terminal/screen",
      "terminal/shell-integration",
      "keeper/port",
    ],
    testsUse: ["keeper", "agent-shell"],
  },
  "agent-shell": { uses: ["jsonrpc"], testsUse: ["terminal/acp"] },
  "storage-sqlite": { uses: ["core/ports", "ahp"] },
  server: { uses: ["core", "protocol", "ahp", "jsonrpc"] },
  sdk: { uses: ["ahp"], usesTypesOf: ["protocol"] },
  web: { uses: ["sdk", "ahp"] },
  cli: {
    uses: [
      "protocol",
      "jsonrpc",
      "ahp",
      "terminal",
      "keeper",
      "core",
      "agent-shell",
      "storage-sqlite",
      "server",
      "sdk",
    ],
  },
};

/** One sentence for each import or dependency of `source` that the table does not allow. */
export function crossings(source: PackageSources, table: Readonly<Record<string, Room>> = rooms): string[] {
  const room = table[source.name];
  if (!room) return [`packages/${source.name} is not in the table of packages`];
  return [
    ...manifestCrossings(source, room),
    ...source.files.flatMap((file) =>
      importsOf(file).flatMap((each) => {
        const fault = importFault(source, room, file, each);
        return fault === undefined ? [] : [`${file.path} imports ${each.specifier}: ${fault}`];
      }),
    ),
    ...Object.entries(room.borders ?? {}).flatMap(([folder, border]) =>
      borderCrossings(source, folder, border),
    ),
  ];
}

function manifestCrossings({ name, manifest }: PackageSources, room: Room): string[] {
  const uses = [...room.uses, ...(room.usesTypesOf ?? [])];
  const allowed = new Set(uses.map((use) => packageName(scope + use)));
  const own = Object.keys(allDependencies(manifest)).filter((dependency) => dependency.startsWith(scope));
  return own
    .filter((dependency) => !allowed.has(dependency))
    .map((dependency) => `packages/${name}/package.json depends on ${dependency}: no arrow goes there`);
}

function importFault(
  { name, manifest }: PackageSources,
  room: Room,
  file: SourceFile,
  { specifier, isTypeOnly }: Import,
): string | undefined {
  if (specifier.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(file.path), specifier);
    return target.startsWith(`packages/${name}/`) ? undefined : "it leaves the package";
  }
  if (specifier.startsWith(scope)) {
    const entry = specifier.slice(scope.length);
    const matches = (use: string): boolean => entry === use || entry.startsWith(`${use}/`);
    if (entry.split("/", 1)[0] === name) return undefined;
    const uses = isTypeOnly ? [...room.uses, ...(room.usesTypesOf ?? [])] : room.uses;
    if (isForTests(file.path) && room.testsUse?.some(matches) === true) return undefined;
    if (!uses.some(matches)) return "no arrow goes there";
    return packageName(specifier) in allDependencies(manifest)
      ? undefined
      : "package.json does not declare it";
  }
  if (isForTests(file.path)) return undefined;
  if (specifier.startsWith("node:")) {
    return room.isBrowserSafe === true ? "the package must run in browsers" : undefined;
  }
  return room.npm && !room.npm.includes(packageName(specifier)) ? "the package may not use it" : undefined;
}

/** Follows imports out of `folder` through the package's own files. */
function borderCrossings({ name, files }: PackageSources, folder: string, border: Border): string[] {
  const source = `packages/${name}/src/`;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found: string[] = [];
  for (const start of files) {
    if (!start.path.startsWith(`${source}${folder}/`) || isForTests(start.path)) continue;
    const seen = new Set([start.path]);
    for (const filePath of seen) {
      const file = byPath.get(filePath);
      if (!file) continue;
      for (const { specifier } of importsOf(file)) {
        if (specifier.startsWith("node:") && border.nodeModules?.includes(specifier) === false) {
          found.push(`${start.path} reaches ${specifier} through ${filePath}`);
        }
        if (!specifier.startsWith(".")) continue;
        const target = path.posix.join(path.posix.dirname(filePath), specifier);
        if (border.neverReaches.some((other) => target.startsWith(`${source}${other}/`))) {
          found.push(`${start.path} reaches ${target} through ${filePath}`);
        } else {
          seen.add(target);
        }
      }
    }
  }
  return found;
}

function allDependencies(manifest: Manifest): Record<string, string> {
  return { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
