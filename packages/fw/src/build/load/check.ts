import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { readText } from "../../lib/read-file.ts";
import type { BuiltService } from "../build.ts";
import type { BundleMemo } from "../memo.ts";
import { loadBundle } from "./load.ts";
import { loadProblem, type LoadProblem } from "./problem.ts";

export interface LoadCheck {
  /** The application's directory, absolute. */
  readonly root: string;
  /** The absolute directory of the new services. */
  readonly newServices: string;
  /** The directory of the previous build's services, which passed the check then. */
  readonly previousServices: string;
  /** Bundles that earlier commands of this process have loaded. */
  readonly memo: BundleMemo | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads every service once, as its process does at its start: a bundle that cannot load is not a valid build. Skips
 * services whose files did not change since the previous build.
 */
export async function loadServices(
  services: readonly BuiltService[],
  { root, newServices: fresh, previousServices: before, memo, env }: LoadCheck,
): Promise<readonly LoadProblem[]> {
  const changed = services.filter(
    (service) => !hasLoaded(memo, service) && !isUnchanged(join(before, service.service.name), service),
  );
  const problems: LoadProblem[] = [];
  const queue = changed.values();
  const work = async (): Promise<void> => {
    for (const { service, files } of queue) {
      const result = await loadBundle(join(fresh, service.name, "main.js"), env);
      const problem = loadProblem(root, service.name, result);
      if (problem) problems.push(problem);
      else if (files[0]) memo?.loaded.add(files[0]);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return problems.toSorted((one, other) => (one.service < other.service ? -1 : 1));
}

function hasLoaded(memo: BundleMemo | undefined, { files: [first], runtimeFiles }: BuiltService): boolean {
  return runtimeFiles.length === 0 && first !== undefined && memo?.loaded.has(first) === true;
}

function isUnchanged(directory: string, { files, runtimeFiles }: BuiltService): boolean {
  if (runtimeFiles.length > 0) return false;
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".js"));
    const code = files.filter(({ name }) => name.endsWith(".js"));
    return names.length === code.length && code.every(({ name, text }) => readText(join(directory, name)) === text);
  } catch {
    return false;
  }
}
