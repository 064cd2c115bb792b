import { listOf, suggestion } from "../../lib/suggest.ts";
import { namesOf } from "../../lib/names.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { isTenantId } from "../../runtime/tenant/tenant-context.ts";
import { Refusal } from "../command.ts";
import { appAt, type LocalPlace } from "../data/local-or-deployed.ts";

/**
 * Returns the application if it declares a cron or job with this name. Otherwise refuses the name and lists the
 * declared ones.
 */
export async function requireDeclared(place: LocalPlace, kind: "cron" | "job", name: string): Promise<App> {
  const app = await readApp(place);
  requireIn(app, kind, name);
  return app;
}

/** Requires a valid tenant for a run of a job with tenants, and refuses a tenant for any other job. */
export function requireTenantOf(
  { packages }: App,
  { name, tenant }: { name: string; tenant: string | undefined },
): void {
  const tenants = allOfKind(packages, "job").find((job) => job.name === name)?.tenant;
  if (tenants !== undefined && tenant === undefined)
    throw new Refusal(`the job "${name}" runs for one of the tenants "${tenants}": add --tenant <id>`);
  if (tenants === undefined && tenant !== undefined)
    throw new Refusal(`the job "${name}" has no tenants: omit --tenant`);
  if (tenant !== undefined && !isTenantId(tenant))
    throw new Refusal(
      `${JSON.stringify(tenant)} is not the id of a tenant: an id has 1 to 128 characters, without "/"`,
    );
}

/** Refuses a name that is not a declared seed. Without a name, refuses an application without seeds. */
export async function requireSeed(place: LocalPlace, name: string | undefined): Promise<void> {
  const app = await readApp(place);
  if (name !== undefined) requireIn(app, "seed", name);
  else if (allOfKind(app.packages, "seed").length === 0) throw new Refusal("the application declares no seed");
}

/** Like `requireDeclared`, for an application that was already read. */
export function requireIn(app: App, kind: "cron" | "job" | "seed", name: string): void {
  const names = namesOf(allOfKind(app.packages, kind));
  if (names.includes(name)) return;
  const knownNames =
    names.length === 0 ? `the application declares no ${kind}` : `the ${kind}s are ${listOf(names, "and")}`;
  throw new Refusal(`there is no ${kind} "${name}": ${knownNames}${suggestion(name, names)}`);
}

/**
 * Reads the application that owns the data. Accepts errors in its source, because a dev server keeps running while the
 * source has some.
 */
async function readApp(place: LocalPlace): Promise<App> {
  if (place.root === undefined || place.serving !== undefined) return appAt(place);
  const { analyze } = await import("../checked-app.ts");
  return (await analyze(place.root)).app;
}

/** Returns the message for a job that was started without the arguments that it takes. */
export function missingArguments(name: string): string {
  return `the job "${name}" takes arguments: add them as JSON, fw run job ${name} '{ … }'`;
}
