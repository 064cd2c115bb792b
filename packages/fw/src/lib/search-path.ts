import { delimiter } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns an environment whose search path begins with these directories. Windows calls the variable `Path`, and of
 * several names that differ only in case it uses the first, so the variable is found in any case and keeps its name.
 */
export function withSearchPath(env: Environment, first: readonly string[]): Environment {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const path = env[name];
  return { ...env, [name]: [...first, ...(path === undefined ? [] : [path])].join(delimiter) };
}
