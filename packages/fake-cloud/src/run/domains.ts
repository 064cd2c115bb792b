import { nameOf, shortName, param, query, type Call, type Method } from "../api.ts";
import type { Timer } from "../clock.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import type { Zone } from "../dns/zone.ts";
import { invalid, Refusal } from "../errors.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";

interface Mapping {
  readonly domain: string;
  readonly region: string;
  readonly route: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly created: string;
  isIssued: boolean;
  /** The reason why no certificate will be issued. */
  failure?: string;
  /** The timer of the certificate, while the domain's records point to Google. */
  issuing?: Timer;
}

interface MappingBody {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly routeName?: string };
}

/** Milliseconds from correct records to a certificate. */
const issuingMs = 15 * 60_000;

/** Regions that support domain mappings. */
const regions = [
  "asia-east1",
  "asia-northeast1",
  "asia-southeast1",
  "europe-north1",
  "europe-west1",
  "europe-west4",
  "us-central1",
  "us-east1",
  "us-east4",
  "us-west1",
];

const alias = "ghs.googlehosted.com";

const addresses = [
  ...["216.239.32.21", "216.239.34.21", "216.239.36.21", "216.239.38.21"].map((rrdata) => ({ type: "A", rrdata })),
  ...["2001:4860:4802:32::15", "2001:4860:4802:34::15"].map((rrdata) => ({ type: "AAAA", rrdata })),
];

/** Cloud Run's domain mappings, for accounts that have verified their domains. */
export class DomainMappings {
  /** Domains that other projects have mapped. */
  readonly mappedElsewhere: Set<string> = new Set();
  readonly methods: Readonly<Record<string, Method>>;
  readonly #cloud: ServingCloud;
  readonly #zone: Zone;
  readonly #mappings = new Map<string, Mapping>();
  /** Verified domains by account; subdomains are included. */
  readonly #verified = new Map<string, Set<string>>();

  constructor(cloud: ServingCloud, zone: Zone) {
    this.#cloud = cloud;
    this.#zone = zone;
    this.methods = this.#table();
    zone.onChange(() => {
      for (const mapping of this.#mappings.values()) this.#look(mapping);
    });
  }

  /** Records that an account has verified a domain. */
  verify(email: string, domain: string): void {
    this.#verified.set(email, (this.#verified.get(email) ?? new Set()).add(domain));
  }

  /** Issues a certificate without checking DNS records, so that the domain serves requests. */
  issue(domain: string): void {
    const mapping = this.#mappings.get(domain);
    if (!mapping) throw new Error(`${domain} is not mapped`);
    mapping.isIssued = true;
    this.#cloud.services.domains.set(domain, mapping.route);
  }

  /** Makes the domain's certificate fail with this message. */
  fail(domain: string, failure: string): void {
    const mapping = this.#mappings.get(domain);
    if (!mapping) throw new Error(`${domain} is not mapped`);
    mapping.failure = failure;
  }

  #table(): Record<string, Method> {
    const on = onProject(this.#cloud);
    // cloud.google.com/run/docs/reference/iam/permissions: "There are no IAM permissions for domain mappings. Viewing,
    // listing, creating and deleting domain mappings requires project-level permissions": the basic roles have them.
    const mapping: ResourceKind = {
      methods: "run.projects.locations.domainmappings",
      permissions: "domainmappings",
      on,
    };
    const authorized: Method = { needs: () => [], run: (call) => this.#authorized(call) };
    return {
      ...methodsOf(
        { methods: "run.projects.locations", permissions: "run.locations", on },
        {
          list: () => ({
            locations: [...regions, "europe-west3"].map((locationId) => ({
              name: `projects/${this.#cloud.project.id}/locations/${locationId}`,
              locationId,
            })),
          }),
        },
      ),
      "run.projects.authorizeddomains.list": authorized,
      "run.projects.locations.authorizeddomains.list": authorized,
      ...methodsOf(mapping, {
        create: (call) => this.#create(call),
        get: (call) => this.#json(this.#found(call)),
        list: (call) => this.#list(call),
        delete: (call) => {
          const mapping = this.#found(call);
          this.#mappings.delete(mapping.domain);
          this.#cloud.services.domains.delete(mapping.domain);
          this.#cloud.clock.cancel(mapping.issuing);
          return { status: "Success" };
        },
      }),
    };
  }

  #authorized({ caller }: Call): unknown {
    return { domains: [...(this.#verified.get(caller) ?? [])].map((id) => ({ id, name: id })) };
  }

  #list(call: Call): unknown {
    const region = regionIn(param(call, "parent"));
    const items = [...this.#mappings.values()].filter((mapping) => mapping.region === region);
    return {
      kind: "DomainMappingList",
      apiVersion: "domains.cloudrun.com/v1",
      items: items.map((mapping) => this.#json(mapping)),
    };
  }

  #create(call: Call): unknown {
    const { metadata = {}, spec = {} } = call.body as MappingBody;
    const { name: domain = "", namespace = "", labels = {} } = metadata;
    const { routeName: route = "" } = spec;
    const region = regionIn(param(call, "parent"));
    const { id, number } = this.#cloud.project;
    if (namespace !== id && namespace !== number)
      throw invalid(`metadata.namespace: '${namespace}' is not the project of the request.`);
    if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(domain)) throw invalid("metadata.name: is no domain");
    if (!regions.includes(region))
      throw new Refusal("UNIMPLEMENTED", `Domain mappings are not available in the region ${region}.`);
    const verified = [...(this.#verified.get(call.caller) ?? [])];
    if (!verified.some((own) => domain === own || domain.endsWith(`.${own}`)))
      throw new Refusal(
        "PERMISSION_DENIED",
        "Caller is not authorized to administer the domain. Verify the domain first.",
      );
    if (this.#mappings.has(domain) || this.mappedElsewhere.has(domain))
      throw new Refusal("ALREADY_EXISTS", `Domain mapping '${domain}' already exists.`);
    if (!this.#cloud.services.kept.has(route)) throw invalid(`spec.routeName: Route '${route}' does not exist.`);
    const mapping: Mapping = {
      domain,
      region,
      route,
      labels,
      created: this.#cloud.clock.timestamp(),
      isIssued: false,
    };
    if (query(call, "dryRun") !== "all") {
      this.#mappings.set(domain, mapping);
      this.#look(mapping);
    }
    return this.#json(mapping);
  }

  #found(call: Call): Mapping {
    const name = nameOf(call);
    const domain = shortName(name);
    const mapping = this.#mappings.get(domain);
    if (mapping?.region !== regionIn(name) || !mapping)
      throw new Refusal("NOT_FOUND", `Resource '${domain}' of kind 'DOMAIN_MAPPING' does not exist.`);
    return mapping;
  }

  /** Issues a certificate some time after the records are set, unless they are removed before. */
  #look(mapping: Mapping): void {
    if (mapping.isIssued) return;
    if (!this.#leadsHere(mapping)) {
      this.#cloud.clock.cancel(mapping.issuing);
      delete mapping.issuing;
      return;
    }
    mapping.issuing ??= this.#cloud.clock.after(issuingMs, () => this.issue(mapping.domain));
  }

  #leadsHere({ domain }: Mapping): boolean {
    const found = this.#zone.answer(domain, "A") ?? [];
    return recordsOf(domain).some((record) =>
      found.some(({ type, data }) => type === record.type && data === record.rrdata.replace(/\.$/, "")),
    );
  }

  #json({ domain, route, labels, created, isIssued, failure }: Mapping): unknown {
    const pending = {
      status: "Unknown",
      reason: "CertificatePending",
      message:
        "Certificate issuance pending. The challenge data was not visible through the public internet. This may indicate that DNS is not properly configured or has not fully propagated.",
    };
    const failed = { status: "False", reason: "CertificateProvisioningFailed", message: failure };
    const condition = failure !== undefined ? failed : isIssued ? { status: "True" } : pending;
    return {
      apiVersion: "domains.cloudrun.com/v1",
      kind: "DomainMapping",
      metadata: { name: domain, namespace: this.#cloud.project.id, labels, creationTimestamp: created },
      spec: { routeName: route, certificateMode: "AUTOMATIC" },
      status: {
        mappedRouteName: route,
        resourceRecords: recordsOf(domain),
        conditions: [
          { type: "Ready", ...condition },
          { type: "CertificateProvisioned", ...condition },
          { type: "DomainRoutable", status: "True" },
        ],
      },
    };
  }
}

function regionIn(name: string): string {
  return /\/locations\/([^/]+)/.exec(name)?.[1] ?? "";
}

/** Returns the CNAME of a subdomain, or the addresses of a registered domain, which cannot have a CNAME. */
function recordsOf(
  domain: string,
): readonly { readonly type: string; readonly name?: string; readonly rrdata: string }[] {
  const [first = "", ...rest] = domain.split(".");
  return rest.length === 1 ? addresses : [{ type: "CNAME", name: first, rrdata: `${alias}.` }];
}
