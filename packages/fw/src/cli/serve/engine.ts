import { ownNode, type Program } from "../../topology/release.ts";

/** A JavaScript engine that can run built services. */
export type Engine = "node" | "bun" | "deno";

/** The program of each engine. Bun and Deno are looked up in PATH. Deno must not load remote code or prompt. */
export const programs: Readonly<Record<Engine, Program>> = {
  node: ownNode,
  bun: ["bun", "--bun"],
  deno: ["deno", "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
};

/** Parses the value of `--engine`. Throws an error that names the valid ones. */
export function readEngine(value: string): Engine {
  if (Object.hasOwn(programs, value)) return value as Engine;
  throw new Error(`${JSON.stringify(value)} is not one of ${Object.keys(programs).join(", ")}`);
}
