import type { Manifest } from "../../build/manifest.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type Flag, type ParsedOptions, type ValueOption } from "../command.ts";
import type { IO } from "../io.ts";

/** The project, environment and region that identify a deployed application. */
export type TargetOptions = Pick<DeployPlace, "project" | "env" | "region">;

/**
 * The options that identify a deployed application. fw never reads them from the environment or from other tools'
 * configuration.
 */
export const targetOptions: Readonly<Record<"project" | "env" | "region", ValueOption>> = {
  project: { value: "<id>", summary: "the Google Cloud project" },
  env: { value: "<name>", summary: "the environment: prod, staging, pr-123" },
  region: { value: "<region>", summary: "the region, such as europe-west1" },
};

/** The options that identify a deployed application, for commands that otherwise work on this machine. */
export const operatedOptions: Readonly<Record<"project" | "env" | "region", ValueOption>> = {
  project: { value: "<id>", summary: "the Google Cloud project; without it, the command works on this machine" },
  env: { value: "<name>", summary: "with --project, the environment: prod, staging, pr-123" },
  region: { value: "<region>", summary: "with --project, the region, such as europe-west1" },
};

/** A project, with the environment and region if given. */
export type PartialTarget = ParsedOptions<typeof operatedOptions> & Pick<TargetOptions, "project">;

/** Returns the deployed application that the options name; undefined without `--project`. */
export function readOptionalTarget({
  project,
  env,
  region,
  data,
}: ParsedOptions<typeof operatedOptions> & { readonly data?: string | undefined }): PartialTarget | undefined {
  if (project === undefined) {
    const lone = Object.entries({ env, region }).find(([, value]) => value !== undefined);
    if (lone) throw new Refusal(`"--${lone[0]}" needs --project <id>; fw never guesses a project`);
    return undefined;
  }
  if (data !== undefined)
    throw new Refusal(`use either --data (a directory on this machine) or --project (a deployed application)`);
  validateTarget({ project, env, region });
  return { project, env, region };
}

export function readTarget({ project, env, region }: ParsedOptions<typeof targetOptions>, io: IO): TargetOptions {
  // Outside of an application, report that before any problem with the options.
  appRoot(io.cwd);
  return readTargetOptions({ project, env, region });
}

/** Reads the target of a command that also works outside an application. */
export function readTargetOptions({ project, env, region }: ParsedOptions<typeof targetOptions>): TargetOptions {
  if (project === undefined || env === undefined || region === undefined) {
    const missing = Object.entries({ project, env, region }).filter(([, value]) => value === undefined);
    throw new Refusal(
      `missing ${missing.map(([name]) => `--${name} <${name === "project" ? "id" : name}>`).join(" ")}`,
    );
  }
  validateTarget({ project, env, region });
  return { project, env, region };
}

/** Validates the values, because they become parts of URLs and resource names. */
function validateTarget({ project, env, region }: PartialTarget): void {
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project))
    throw new Refusal(
      `--project must be the id of a Google Cloud project, such as acme-1, not ${JSON.stringify(project)}`,
    );
  if (env !== undefined && (!/^[a-z][a-z0-9-]{0,19}$/.test(env) || env.endsWith("-")))
    throw new Refusal(
      `--env must be at most 20 lowercase letters, digits and hyphens, starting with a letter, not ${JSON.stringify(env)}`,
    );
  if (region !== undefined && !/^[a-z]+-[a-z]+\d+$/.test(region))
    throw new Refusal(`--region must be a Google Cloud region, such as europe-west1, not ${JSON.stringify(region)}`);
}

/** The options for the output of commands with a plan, which may be longer than a screen. */
export const outputOptions: Readonly<Record<"verbose" | "json", Flag>> = {
  verbose: { summary: "list every step of the plan with its fields, and every step as it ends" },
  json: { summary: "print one JSON object" },
};

/** The option that deploys without domains, as for a preview: a domain belongs to one service of one environment. */
export const domainsOption: Readonly<Record<"without-domains", Flag>> = {
  "without-domains": { summary: "leave the domains to another environment, for example in a preview" },
};

/** Removes the domains from a manifest if the option is set. */
export function withoutDomains(manifest: Manifest, options: { readonly withoutDomains: true | undefined }): Manifest {
  if (!options.withoutDomains) return manifest;
  return { ...manifest, services: manifest.services.map((service) => ({ ...service, domain: "" })) };
}
