import type { App } from "../../model/app.ts";
import { ofKind } from "../../model/declarations.ts";
import { Refusal } from "../command.ts";
import { isDeployed, withData, type DataPlace, type LocalPlace } from "../data/local-or-deployed.ts";
import type { DeployedPlace } from "../deployed/deployed.ts";
import type { IO } from "../io.ts";
import { tenantMessage } from "../../runtime/tenant/tenant-message.ts";
import { requireDeclared, requireIn, requireTenantOf, missingArguments } from "./declared.ts";
import { refusalOf, withServer } from "./server.ts";

/** A started job run, and whether it has ended. */
export interface StartedRun {
  readonly run: string;
  readonly isOver: boolean;
}

/** The result of a cron run: `begun` if the command does not wait for the end. */
export type CronRun = "ran" | "failed" | "begun";

/** A job to start; `json` is the text of its arguments. */
interface JobCall {
  readonly name: string;
  readonly json: string | undefined;
  /** The tenant of the run; undefined for a job without tenants. */
  readonly tenant: string | undefined;
}

export function startJob(place: DataPlace, job: JobCall, io: IO): Promise<StartedRun> {
  return isDeployed(place) ? startDeployed(place, job) : startLocal(place, job, io);
}

export function runCronNow(place: DataPlace, name: string, io: IO): Promise<CronRun> {
  return isDeployed(place) ? triggerDeployed(place, name) : runLocal(place, name, io);
}

async function startLocal(place: LocalPlace, job: JobCall, io: IO): Promise<StartedRun> {
  const { name, json, tenant } = job;
  requireTenantOf(await requireDeclared(place, "job", name), job);
  const text = tenant === undefined ? json : tenantMessage(tenant, json ?? "null");
  return withServer(place, io, async (server) => {
    const answer = await server.post(`dev/operate/jobs/${encodeURIComponent(name)}`, text);
    if (answer.status === 400 && json === undefined) throw new Refusal(missingArguments(name));
    if (answer.status !== 200) throw refusalOf(answer);
    if (server.temporary) await server.post("dev/operate/idle");
    return { run: (answer.body as { run: string }).run, isOver: server.temporary };
  });
}

async function runLocal(place: LocalPlace, name: string, io: IO): Promise<CronRun> {
  await requireDeclared(place, "cron", name);
  const answer = await withServer(place, io, (server) => server.post(`api/cron/${encodeURIComponent(name)}`));
  if (answer.status !== 204 && answer.status !== 500) throw refusalOf(answer);
  return answer.status === 204 ? "ran" : "failed";
}

async function startDeployed(place: DeployedPlace, job: JobCall): Promise<StartedRun> {
  const { name } = job;
  const { newRun } = await import("./job-arguments.ts");
  return withData(place, async ({ app, platform }) => {
    requireIn(app, "job", name);
    requireTenantOf(app, job);
    const { run, body } = newRun(app, job);
    await platform.messages.send({ kind: "job", name }, { body });
    return { run, isOver: false };
  });
}

async function triggerDeployed(place: DeployedPlace, name: string): Promise<CronRun> {
  const { withDeployed } = await import("../deployed/deployed.ts");
  const { runNow } = await import("../../deploy/operate/run-cron.ts");
  await withDeployed(place, async ({ app, place: at, connected }) => {
    requireIn(app, "cron", name);
    await runNow(at, { service: serviceOf(app, name), cron: name }, connected.client);
  });
  return "begun";
}

/** Returns the service of the cron's package, which runs the cron. */
function serviceOf({ packages }: App, cron: string): string {
  return packages.find((pkg) => ofKind(pkg, "cron").some(({ name }) => name === cron))?.service ?? "";
}
