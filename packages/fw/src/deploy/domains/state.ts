import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { shortName } from "../api-path.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";
import { certificateTime, domain as driver, routeOf } from "../kinds/domain.ts";
import type { Resource } from "../resource.ts";
import type { LookUp } from "./look-up.ts";

/** A DNS record that points a domain to Google. */
export interface DomainRecord {
  readonly type: string;
  readonly name: string;
  readonly data: string;
}

export interface DomainStatus {
  readonly domain: string;
  readonly service: string;
  readonly state: "not mapped" | "awaiting DNS" | "certificate pending" | "certificate ACTIVE" | "failed";
  readonly records: readonly DomainRecord[];
  /** Details: conflicting records, Google's message, or the expected duration. */
  readonly note?: string;
}

/** Milliseconds to wait until a new mapping lists its required records. */
const recordsMs = 20_000;

/** Returns the status of each domain among the resources. Reads only. Looks up the domains in DNS. */
export async function domainStates(
  resources: readonly Resource[],
  cloud: DeployCloud,
  lookUp: LookUp,
): Promise<readonly DomainStatus[]> {
  const domains = resources.filter(({ kind }) => kind === "domain");
  return Promise.all(
    domains.map(async (resource) => {
      const live = await settledMapping(resource, cloud);
      const name = shortName(resource.id);
      if (!live) return { domain: name, service: routeOf(resource.spec), state: "not mapped" as const, records: [] };
      return statusOf(name, live, lookUp);
    }),
  );
}

/** Returns the mapping once it lists its required records, or after some seconds without them. */
async function settledMapping(resource: Resource, cloud: DeployCloud): Promise<Fields | undefined> {
  let live = await driver.read(resource, cloud);
  if (live === undefined || recordsOf("", live).length > 0) return live;
  const hasRecords = async (): Promise<boolean> => {
    live = await driver.read(resource, cloud);
    return live === undefined || recordsOf("", live).length > 0;
  };
  // If Google lists no records in time, the status says so.
  await cloud.until("the DNS records of a domain", hasRecords, recordsMs).catch((error: unknown) => {
    if (error instanceof CloudError) throw error;
  });
  return live;
}

async function statusOf(domain: string, live: Fields, lookUp: LookUp): Promise<DomainStatus> {
  const records = recordsOf(domain, live);
  const base = { domain, service: routeOf(live), records };
  const ready = conditionOf(live, "Ready");
  if (ready.status === "False") return { ...base, state: "failed", note: ready.message };
  const dns = await pointsToGoogle(domain, records, lookUp);
  const isIssued = ready.status === "True" && conditionOf(live, "CertificateProvisioned").status !== "False";
  if (isIssued) return { ...base, state: "certificate ACTIVE", ...(dns !== true && { note: dns }) };
  if (dns === true) return { ...base, state: "certificate pending", note: certificateTime };
  return { ...base, state: "awaiting DNS", note: dns };
}

/**
 * Returns true if DNS points the domain to Google, or else the reason why not. Google itself reports the same state for
 * a missing record and for a pending certificate.
 */
async function pointsToGoogle(
  domain: string,
  records: readonly DomainRecord[],
  lookUp: LookUp,
): Promise<true | string> {
  if (records.length === 0) return "Google has not listed the required records yet";
  const answer = await lookUp(domain);
  if (typeof answer === "string") return `the DNS lookup failed (${answer})`;
  const { addresses, aliases } = answer;
  const alias = records.find(({ type }) => type === "CNAME")?.data;
  if (alias !== undefined && aliases.includes(alias)) return true;
  // With CNAME flattening, a zone contains the addresses of the CNAME's target instead.
  const target = alias === undefined ? records.map(({ data }) => data) : await addressesOf(alias, lookUp);
  const otherAddresses = addresses.filter((address) => !target.includes(address));
  if (addresses.length > 0 && otherAddresses.length === 0) return true;
  if (addresses.length === 0) return "it has no records yet";
  const proxied =
    "a domain behind a proxy such as Cloudflare's never gets a certificate; point the records directly to Google";
  return `it points elsewhere: ${[...aliases, ...otherAddresses].join(", ")}; ${proxied}`;
}

async function addressesOf(name: string, lookUp: LookUp): Promise<readonly string[]> {
  const answer = await lookUp(name);
  return typeof answer === "string" ? [] : answer.addresses;
}

function recordsOf(domain: string, live: Fields): readonly DomainRecord[] {
  return listIn(live, "resourceRecords").map(({ type, rrdata }) => ({
    type: textOf(type),
    name: domain,
    data: textOf(rrdata).replace(/\.$/, "").toLowerCase(),
  }));
}

function conditionOf(live: Fields, conditionType: string): { readonly status: string; readonly message: string } {
  const condition = listIn(live, "conditions").find(({ type }) => type === conditionType) ?? {};
  return { status: textOf(condition["status"]), message: textOf(condition["message"]) || textOf(condition["reason"]) };
}

function listIn(live: Fields, name: string): readonly Fields[] {
  return itemsOf(fieldsOf(live["status"])[name]);
}
