import type { Context } from "../../declare/context.ts";
import { MisfitMessage } from "../../platform/misfit.ts";
import type { Wiring } from "../application.ts";
import type { BundledDestination } from "../bundle.ts";
import { bindTenancy, isTenantId, nameOfTenant, requireTenant, separatorOf, TenantContext } from "./tenant-context.ts";

/** The stored form of a tenant's message. The sending context determines the tenant, so a sender cannot choose it. */
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

export function wrapMessage(ctx: Context, destination: BundledDestination, text: string): string {
  const tenant = tenantOfSender(ctx, destination);
  return tenant === undefined ? text : tenantMessage(tenant, text);
}

export function tenantMessage(tenant: string, text: string): string {
  return `{"tenant":${JSON.stringify(tenant)},"message":${text}}`;
}

/**
 * Returns the name of a job in the records of its runs, with the tenant found in a run's arguments. Runs from before
 * the job was separated by tenant are recorded under the job's own name.
 */
export function runsNameOf({ bundle }: Wiring, job: string, args: string): string {
  const destination = bundle.destinations?.find(({ kind, name }) => kind === "job" && name === job);
  if (destination === undefined || tenantsOf(destination) === undefined) return job;
  const { tenant } = Object(JSON.parse(args)) as Partial<TenantMessage>;
  return isTenantId(tenant) ? nameOfTenant(job, tenant) : job;
}

/** Makes the key of a message specific to its tenant, so tenants cannot replace or cancel each other's messages. */
export function keyInTenant(ctx: Context, destination: BundledDestination, key: string): string {
  const tenant = tenantOfSender(ctx, destination);
  return tenant === undefined ? key : JSON.stringify([tenant, key]);
}

/** The tenant that sent a message. */
export interface Sender {
  readonly tenants: string;
  readonly tenant: string;
}

/** A message as a consumer receives it, with its tenant if messages are separated by tenant. */
export interface ReceivedMessage {
  readonly message: unknown;
  readonly sender?: Sender | undefined;
}

/** Reads a stored message. Throws a MisfitMessage if tenants separate the messages and this one names none. */
export function unwrapMessage(destination: BundledDestination, value: unknown): ReceivedMessage {
  const tenants = tenantsOf(destination);
  if (tenants === undefined) return { message: value };
  const { tenant, message } = readTenantMessage(destination, value);
  return { message, sender: { tenants, tenant } };
}

/** Returns the context for a message's consumer, inside the sender's tenant if there is one. */
export function contextOfSender(ctx: Context, sender: Sender | undefined): Context {
  return sender === undefined ? ctx : new TenantContext(ctx, bindTenancy(sender.tenants, sender.tenant));
}

function readTenantMessage({ kind, name }: BundledDestination, value: unknown): TenantMessage {
  const { tenant, message } = Object(value) as Partial<TenantMessage>;
  if (isTenantId(tenant) && message !== undefined) return { tenant, message };
  throw new MisfitMessage(
    `it does not say which tenant of the ${kind} "${name}" it is for; it waits for a version that accepts it`,
  );
}
