import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { shortName } from "../api-path.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";
import { certificateTime, domain as driver, routeOf } from "../kinds/domain.ts";
import type { Resource } from "../resource.ts";
import type { LookUp } from "./look-up.ts";

/** A record that leads a domain to Google. */
export interface DomainRecord {
  readonly type: string;
  readonly name: string;
  readonly data: string;
}

/** What has become of a domain. */
export interface DomainStatus {
  readonly domain: string;
  /** The name of its service in the cloud. */
  readonly service: string;
  readonly state: "not mapped" | "awaiting DNS" | "certificate pending" | "certificate ACTIVE" | "failed";
  /** What its zone has to have. */
  readonly records: readonly DomainRecord[];
  /** What else is to be known: where it leads instead, what Google says, how long it takes. */
  readonly note?: string;
}

/** Milliseconds that a new mapping has to say which records it wants. */
const recordsMs = 20_000;

/** The domains among the resources, each as it is now. Reads, and looks them up. */
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

/** A mapping once it says what to set, or as it is after some seconds. */
async function settledMapping(resource: Resource, cloud: DeployCloud): Promise<Fields | undefined> {
  let live = await driver.read(resource, cloud);
  if (live === undefined || recordsOf("", live).length > 0) return live;
  const hasRecords = async (): Promise<boolean> => {
    live = await driver.read(resource, cloud);
    return live === undefined || recordsOf("", live).length > 0;
  };
  // Without them, the status says that they are not known yet.
  await cloud.until("the records of a domain are known", hasRecords, recordsMs).catch((error: unknown) => {
    if (error instanceof CloudError) throw error;
  });
  return live;
}

async function statusOf(domain: string, live: Fields, lookUp: LookUp): Promise<DomainStatus> {
  const records = recordsOf(domain, live);
  const known = { domain, service: routeOf(live), records };
  const ready = conditionOf(live, "Ready");
  if (ready.status === "False") return { ...known, state: "failed", note: ready.message };
  const leads = await leadsTo(domain, records, lookUp);
  const isIssued = ready.status === "True" && conditionOf(live, "CertificateProvisioned").status !== "False";
  if (isIssued) return { ...known, state: "certificate ACTIVE", ...(leads !== true && { note: leads }) };
  if (leads === true) return { ...known, state: "certificate pending", note: certificateTime };
  return { ...known, state: "awaiting DNS", note: leads };
}

/** Google says of both, of a missing record and of a certificate on its way, that the certificate is pending: so the name is looked up. */
async function leadsTo(domain: string, records: readonly DomainRecord[], lookUp: LookUp): Promise<true | string> {
  if (records.length === 0) return "Google does not say yet which records it wants";
  const found = await lookUp(domain);
  if (typeof found === "string") return `it could not be looked up (${found})`;
  const { addresses, aliases } = found;
  const alias = records.find(({ type }) => type === "CNAME")?.data;
  if (alias !== undefined && aliases.includes(alias)) return true;
  // A zone may have the addresses of an alias in its place.
  const target = alias === undefined ? records.map(({ data }) => data) : await addressesOf(alias, lookUp);
  const elsewhere = addresses.filter((address) => !target.includes(address));
  if (addresses.length > 0 && elsewhere.length === 0) return true;
  if (addresses.length === 0) return "it has no records yet";
  const proxied = "records of a proxy, as Cloudflare's, never get a certificate: have them lead to Google directly";
  return `it leads elsewhere: ${[...aliases, ...elsewhere].join(", ")}; ${proxied}`;
}

async function addressesOf(name: string, lookUp: LookUp): Promise<readonly string[]> {
  const found = await lookUp(name);
  return typeof found === "string" ? [] : found.addresses;
}

function recordsOf(domain: string, live: Fields): readonly DomainRecord[] {
  return listIn(live, "resourceRecords").map(({ type, rrdata }) => ({
    type: textOf(type),
    name: domain,
    data: textOf(rrdata).replace(/\.$/, "").toLowerCase(),
  }));
}

function conditionOf(live: Fields, wanted: string): { readonly status: string; readonly message: string } {
  const found = listIn(live, "conditions").find(({ type }) => type === wanted) ?? {};
  return { status: textOf(found["status"]), message: textOf(found["message"]) || textOf(found["reason"]) };
}

function listIn(live: Fields, name: string): readonly Fields[] {
  return itemsOf(fieldsOf(live["status"])[name]);
}
