import type { Manifest } from "../../build/manifest.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type Flag, type Given, type ValueOption } from "../command.ts";
import type { IO } from "../io.ts";

/** Where a command finds a deployed application. */
export type TargetOptions = Pick<DeployPlace, "project" | "env" | "region">;

/** Nothing of it is ever read from the environment, or from another tool's configuration. */
export const targetOptions: Readonly<Record<"project" | "env" | "region", ValueOption>> = {
  project: { value: "<id>", summary: "the project of Google Cloud" },
  env: { value: "<name>", summary: "the environment: prod, staging, pr-123" },
  region: { value: "<region>", summary: "the region, as europe-west1" },
};

/** The same of commands that work on this machine where no project is named. */
export const operatedOptions: Readonly<Record<"project" | "env" | "region", ValueOption>> = {
  project: { value: "<id>", summary: "the project of Google Cloud that it is deployed to, in place of this machine" },
  env: { value: "<name>", summary: "with --project, the environment: prod, staging, pr-123" },
  region: { value: "<region>", summary: "with --project, the region, as europe-west1" },
};

/** A project that was named, with what else was. */
export type GivenTarget = Given<typeof operatedOptions> & Pick<TargetOptions, "project">;

/** The deployed application that options name; undefined where they name no project. */
export function givenTarget({
  project,
  env,
  region,
  data,
}: Given<typeof operatedOptions> & { readonly data?: string | undefined }): GivenTarget | undefined {
  if (project === undefined) {
    const lone = Object.entries({ env, region }).find(([, value]) => value !== undefined);
    if (lone) throw new Refusal(`"--${lone[0]}" goes with --project <id>: no project is found out by itself`);
    return undefined;
  }
  if (data !== undefined)
    throw new Refusal(
      `"--data" is a directory of this machine, and "--project" a deployed application: say one of them`,
    );
  check({ project, env, region });
  return { project, env, region };
}

export function readTarget({ project, env, region }: Given<typeof targetOptions>, io: IO): TargetOptions {
  // Outside of an application there is nothing to say where it is.
  appRoot(io.cwd);
  return readPlace({ project, env, region });
}

/** The same outside of an application. */
export function readPlace({ project, env, region }: Given<typeof targetOptions>): TargetOptions {
  if (project === undefined || env === undefined || region === undefined) {
    const lacking = Object.entries({ project, env, region }).filter(([, value]) => value === undefined);
    throw new Refusal(
      `say where: ${lacking.map(([name]) => `--${name} <${name === "project" ? "id" : name}>`).join(" ")}`,
    );
  }
  check({ project, env, region });
  return { project, env, region };
}

/** They become parts of addresses and names. */
function check({ project, env, region }: GivenTarget): void {
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project))
    throw new Refusal(
      `--project is the id of a project of Google Cloud, such as acme-1, not ${JSON.stringify(project)}`,
    );
  if (env !== undefined && (!/^[a-z][a-z0-9-]{0,19}$/.test(env) || env.endsWith("-")))
    throw new Refusal(
      `--env is at most 20 lowercase letters, digits and hyphens, and begins with a letter, not ${JSON.stringify(env)}`,
    );
  if (region !== undefined && !/^[a-z]+-[a-z]+\d+$/.test(region))
    throw new Refusal(`--region is one of Google Cloud's, such as europe-west1, not ${JSON.stringify(region)}`);
}

/** For plans that are longer than a screen. */
export const verboseOption: Readonly<Record<"verbose", Flag>> = {
  verbose: { summary: "list every step of the plan with its fields, and each one that ends" },
};

/** For a preview beside the environment that has the domains: a domain leads to one service of one environment. */
export const domainsOption: Readonly<Record<"without-domains", Flag>> = {
  "without-domains": { summary: "leave domains to another environment, as a preview does" },
};

/** What a manifest says of an environment that has no domains. */
export function withoutDomains(manifest: Manifest, options: { readonly withoutDomains: true | undefined }): Manifest {
  if (!options.withoutDomains) return manifest;
  return { ...manifest, services: manifest.services.map((service) => ({ ...service, domain: "" })) };
}
