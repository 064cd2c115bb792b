import { readEnv } from "../../workspace/env.ts";
import type { App } from "../../model/app.ts";
import { namesOf } from "../../lib/names.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { IO } from "../io.ts";

/** Returns the environment of a service: everything except secrets that only other services read. */
export function environmentFor(all: IO["env"], app: App, own: readonly string[]): Record<string, string> {
  const others = namesOf(allOfKind(app.packages, "secret")).filter((name) => !own.includes(name));
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]): [string, string][] =>
      value === undefined || others.includes(name) ? [] : [[name, value]],
    ),
  );
}

/** Returns the values of the application's secrets, by name. */
export function secretValues(root: string, env: IO["env"], app: App): IO["env"] {
  const all = { ...env, ...readEnv(root, env) };
  return Object.fromEntries(namesOf(allOfKind(app.packages, "secret")).map((name) => [name, all[name]]));
}
