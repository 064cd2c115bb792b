import type { Context } from "../../declare/context.ts";
import { partsOfEvent } from "../../lib/events.ts";
import type { Destination } from "../../platform/messages.ts";
import { MisfitMessage } from "../../platform/misfit.ts";
import type { Wiring } from "../application.ts";
import type { BundledDestination } from "../bundle.ts";
import { usesBuckets } from "../capabilities.ts";
import { tenantOfUpload, type TenantUpload } from "./confined-objects.ts";
import { bindTenancy, isTenantId, nameOfTenant, requireTenant, separatorOf, TenantContext } from "./tenant-context.ts";

/** A tenant's message as it is stored. Only its context determines the tenant, so a sender cannot choose it. */
interface TenantMessage {
  readonly tenant: string;
  readonly message: unknown;
}

/** Returns the name of the Tenant that separates the messages; undefined for shared messages. */
function tenantsOf({ declaration }: Pick<BundledDestination, "declaration">): string | undefined {
  return separatorOf(declaration)?.name;
}

/** Returns the id of the sending tenant; undefined for shared messages. */
function tenantOfSender(ctx: Context, destination: BundledDestination): string | undefined {
  const tenants = tenantsOf(destination);
  return tenants && requireTenant(ctx, tenants, `the ${destination.kind} "${destination.name}"`);
}

/** Wraps the text of a message with the sender's tenant. */
export function wrapMessage(ctx: Context, destination: BundledDestination, text: string): string {
  const tenant = tenantOfSender(ctx, destination);
  return tenant === undefined ? text : tenantMessage(tenant, text);
}

/** Wraps the text of a message with a tenant. */
export function tenantMessage(tenant: string, text: string): string {
  return `{"tenant":${JSON.stringify(tenant)},"message":${text}}`;
}

/**
 * Returns the name of a job in the records of its runs, which contains the tenant of a run with these arguments. A run
 * from before the job had tenants is recorded under the job's own name.
 */
export function runsNameOf({ bundle }: Wiring, job: string, args: string): string {
  const destination = bundle.destinations?.find(({ kind, name }) => kind === "job" && name === job);
  if (destination === undefined || tenantsOf(destination) === undefined) return job;
  const { tenant } = Object(JSON.parse(args)) as Partial<TenantMessage>;
  return isTenantId(tenant) ? nameOfTenant(job, tenant) : job;
}

/**
 * Makes the key of a message specific to its tenant, so that a tenant cannot replace or cancel another one's message.
 */
export function keyInTenant(ctx: Context, destination: BundledDestination, key: string): string {
  const tenant = tenantOfSender(ctx, destination);
  return tenant === undefined ? key : JSON.stringify([tenant, key]);
}

/** Returns the message inside a stored one; throws a MisfitMessage for one without a tenant. */
export function unwrapMessage(destination: BundledDestination, value: unknown): unknown {
  return tenantsOf(destination) === undefined ? value : readTenantMessage(destination, value).message;
}

/** Returns the context for the consumer of a delivery, inside the sender's tenant. */
export function contextOfMessage(app: Wiring, ctx: Context, source: Destination, body: string): Context {
  const upload = usesBuckets ? uploadIn(app, source, body) : undefined;
  if (upload !== undefined) return new TenantContext(ctx, bindTenancy(upload.tenants, upload.tenant));
  const { kind, name } = destinationBehind(source);
  const destination = app.bundle.destinations?.find((each) => each.kind === kind && each.name === name);
  const tenants = destination && tenantsOf(destination);
  if (destination === undefined || tenants === undefined) return ctx;
  const delivered = JSON.parse(body) as { readonly message?: unknown };
  const { tenant } = readTenantMessage(destination, source.kind === "event" ? delivered.message : delivered);
  return new TenantContext(ctx, bindTenancy(tenants, tenant));
}

/** Returns the upload that an event of a bucket of tenants reports. */
function uploadIn(app: Wiring, { kind, name }: Destination, body: string): TenantUpload | undefined {
  const event = kind === "event" ? partsOfEvent(name) : undefined;
  if (event?.kind !== "bucket.uploaded") return undefined;
  return tenantOfUpload(app, event.about, (JSON.parse(body) as { readonly key: string }).key);
}

/** The queue or topic whose messages a consumer receives, directly or as dead letters. */
function destinationBehind({ kind, name }: Destination): Pick<Destination, "kind" | "name"> {
  const event = kind === "event" ? partsOfEvent(name) : undefined;
  if (event?.kind === "dead.queue") return { kind: "queue", name: event.about };
  return event?.kind === "dead.topic" ? { kind: "topic", name: event.about } : { kind, name };
}

function readTenantMessage({ kind, name }: BundledDestination, value: unknown): TenantMessage {
  const { tenant, message } = Object(value) as Partial<TenantMessage>;
  if (isTenantId(tenant) && message !== undefined) return { tenant, message };
  throw new MisfitMessage(
    `it does not say which tenant of the ${kind} "${name}" it is for; it waits for a version that takes it`,
  );
}
