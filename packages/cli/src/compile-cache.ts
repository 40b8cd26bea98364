// Keeps compiled code from one start to the next, where Node can (22.8 and on): compiling is a third of a start (Y6).
import module from "node:module";
import path from "node:path";
import envPaths from "env-paths";

/** The part of `node:module` that is used; the type definitions for Node 20 do not know it. */
interface CompileCache {
  readonly enableCompileCache: (folder: string) => unknown;
}

/** Has what is loaded from here on compiled once; where that is not possible, nothing changes. */
export function keepCompiledCode(): void {
  // In a folder of the user's own: what lies in the system's temporary one, others may have put there.
  const folder = path.join(envPaths("holdfast", { suffix: "" }).cache, "compiled");
  if (hasCompileCache(module)) module.enableCompileCache(folder);
}

function hasCompileCache<Found extends object>(found: Found): found is Found & CompileCache {
  return "enableCompileCache" in found;
}
