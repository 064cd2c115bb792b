import { appRoot } from "../app-root.ts";
import { Refusal, type Option, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** Where a command finds a deployed application. */
export interface TargetOptions {
  readonly project: string;
  readonly env: string;
  readonly region: string;
}

/** Nothing of it is ever read from the environment, or from another tool's configuration. */
export const targetOptions: Readonly<Record<"project" | "env" | "region", Option>> = {
  project: { value: "<id>", summary: "the project of Google Cloud" },
  env: { value: "<name>", summary: "the environment: prod, staging, pr-123" },
  region: { value: "<region>", summary: "the region, as europe-west1" },
};

export function readTarget(options: OptionValues, io: IO): TargetOptions {
  // Outside of an application there is nothing to say where it is.
  appRoot(io.cwd);
  const target = {
    project: textOption(options, "project"),
    env: textOption(options, "env"),
    region: textOption(options, "region"),
  };
  const { project, env, region } = target;
  if (project === undefined || env === undefined || region === undefined) {
    const lacking = Object.entries(target).filter(([, value]) => value === undefined);
    throw new Refusal(
      `say where: ${lacking.map(([name]) => `--${name} <${name === "project" ? "id" : name}>`).join(" ")}`,
    );
  }
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(env) || env.endsWith("-"))
    throw new Refusal(
      `--env is at most 20 lowercase letters, digits and hyphens, and begins with a letter, not ${JSON.stringify(env)}`,
    );
  return { project, env, region };
}
