import { existsSync } from "node:fs";
import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";

/** The commands as users of an application type them. */
export interface ProjectCommands {
  readonly test: string;
  readonly check: string;
}

/** Returns the commands for the application's package manager and scripts. Without a script, uses the fw command. */
export function projectCommands(root: string): ProjectCommands {
  const { scripts = {} } = (readJSON(join(root, "package.json")) ?? {}) as {
    readonly scripts?: Readonly<Record<string, unknown>>;
  };
  const manager = managerOf(root);
  const spelled = (name: string): string => {
    if (typeof scripts[name] !== "string") return `npx --no fw ${name}`;
    return name === "test" ? `${manager} test` : `${manager} run ${name}`;
  };
  return { test: spelled("test"), check: spelled("check") };
}

function managerOf(root: string): "npm" | "pnpm" | "yarn" {
  if (existsSync(join(root, "pnpm-lock.yaml"))) return "pnpm";
  return existsSync(join(root, "yarn.lock")) || existsSync(join(root, ".yarnrc.yml")) ? "yarn" : "npm";
}
