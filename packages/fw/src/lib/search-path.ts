import { delimiter } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns an environment whose search path starts with these directories. Finds the variable regardless of case and
 * keeps its name: Windows calls it `Path`, and uses the first of several names that differ only in case.
 */
export function withSearchPath(env: Environment, first: readonly string[]): Environment {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const path = env[name];
  return { ...env, [name]: [...first, ...(path === undefined ? [] : [path])].join(delimiter) };
}
