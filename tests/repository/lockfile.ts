// Reads package-lock.json for what an install on another machine would miss or run.

/** One installed package as the lockfile has it. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The part of package-lock.json that says what gets installed, by path. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Optional dependencies (the platform packages of a native one) that the lockfile names but does not hold. */
export function missingOptionalPackages(lockfile: Lockfile): string[] {
  return Object.entries(lockfile.packages).flatMap(([place, locked]) =>
    Object.keys(locked.optionalDependencies ?? {})
      .filter((name) => {
        const found = find(lockfile, place, name);
        return found === undefined || lockfile.packages[found]?.integrity === undefined;
      })
      .map((name) => `${place} wants ${name}`),
  );
}

/** Paths of everything that users of `packages/*` install: their dependencies, and those' dependencies. */
export function runtimeTree(lockfile: Lockfile): string[] {
  const seen = new Set(Object.keys(lockfile.packages).filter((place) => /^packages\/[^/]+$/.test(place)));
  for (const place of seen) {
    const { dependencies, optionalDependencies, peerDependencies } = lockfile.packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = find(lockfile, place, name);
      if (found !== undefined) seen.add(found);
    }
  }
  return [...seen];
}

/** Members of the runtime tree that npm would run a script of at install. */
export function installScripts(lockfile: Lockfile): string[] {
  return runtimeTree(lockfile).filter((place) => lockfile.packages[place]?.hasInstallScript === true);
}

/** Looks for a package as Node does: beside the one that wants it, then further up. */
function find(lockfile: Lockfile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const found = lockfile.packages[place];
    if (found) return found.link === true ? found.resolved : place;
    if (folder === "") return undefined;
  }
}
