import { param, query, type Call, type Method, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";

interface Mapping {
  readonly domain: string;
  readonly route: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly created: string;
  state: "awaiting certificate" | "ready";
}

interface MappingBody {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly routeName?: string };
}

/** Regions in which domains can be mapped. */
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

const records = [
  ...["216.239.32.21", "216.239.34.21", "216.239.36.21", "216.239.38.21"].map((rrdata) => ({ type: "A", rrdata })),
  { type: "AAAA", rrdata: "2001:4860:4802:32::15" },
];

/** Domains that lead to services of Cloud Run, which are there when their owner has proved that they are his. */
export class DomainMappings {
  /** Domains that are proved to be the caller's; those below them are, too. */
  readonly verified: Set<string> = new Set();
  /** Domains that somebody has mapped in another project, or another region. */
  readonly taken: Set<string> = new Set();
  readonly methods: Readonly<Record<string, Method>>;
  readonly #cloud: Cloud;
  readonly #mappings = new Map<string, Mapping>();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.methods = this.#table();
  }

  /** The domain's records are set, and its certificate is there: requests to it are answered. */
  issue(domain: string): void {
    const mapping = this.#mappings.get(domain);
    if (!mapping) throw new Error(`${domain} is not mapped`);
    mapping.state = "ready";
    this.#cloud.services.domains.set(domain, mapping.route);
  }

  #table(): Record<string, Method> {
    const prefix = "run.projects.locations.domainmappings";
    return {
      "run.projects.locations.list": {
        needs: () => [this.#need("run.locations.list")],
        run: () => ({
          locations: [...regions, "europe-west3"].map((locationId) => ({
            name: `projects/${this.#cloud.project.id}/locations/${locationId}`,
            locationId,
          })),
        }),
      },
      "run.projects.authorizeddomains.list": { needs: () => [], run: () => this.#verified() },
      "run.projects.locations.authorizeddomains.list": { needs: () => [], run: () => this.#verified() },
      [`${prefix}.create`]: { needs: () => [this.#need("run.services.update")], run: (call) => this.#create(call) },
      [`${prefix}.get`]: {
        needs: () => [this.#need("run.services.get")],
        run: (call) => this.#json(this.#found(call)),
      },
      [`${prefix}.list`]: {
        needs: () => [this.#need("run.services.list")],
        run: () => ({
          kind: "DomainMappingList",
          apiVersion: "domains.cloudrun.com/v1",
          items: [...this.#mappings.values()].map((mapping) => this.#json(mapping)),
        }),
      },
      [`${prefix}.delete`]: {
        needs: () => [this.#need("run.services.update")],
        run: (call) => {
          const { domain } = this.#found(call);
          this.#mappings.delete(domain);
          this.#cloud.services.domains.delete(domain);
          return { status: "Success" };
        },
      },
    };
  }

  #verified(): unknown {
    return { domains: [...this.verified].map((id) => ({ id, name: id })) };
  }

  #create(call: Call): unknown {
    const { metadata = {}, spec = {} } = call.body as MappingBody;
    const { name: domain = "", labels = {} } = metadata;
    const region = param(call, "parent").split("/").at(-1) ?? "";
    if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(domain)) throw invalid("metadata.name: is no domain");
    if (!regions.includes(region))
      throw new Refusal("UNIMPLEMENTED", `Domain mappings are not available in the region ${region}.`);
    const owner = [...this.verified].some((each) => domain === each || domain.endsWith(`.${each}`));
    if (!owner)
      throw new Refusal(
        "PERMISSION_DENIED",
        "Caller is not authorized to administer the domain. Verify the domain first.",
      );
    if (this.#mappings.has(domain) || this.taken.has(domain))
      throw new Refusal("ALREADY_EXISTS", `Domain mapping '${domain}' already exists.`);
    if (!this.#cloud.services.get(spec.routeName ?? ""))
      throw invalid(`spec.routeName: Route '${spec.routeName}' does not exist.`);
    const created = this.#cloud.clock.timestamp();
    const mapping: Mapping = { domain, route: spec.routeName ?? "", labels, created, state: "awaiting certificate" };
    if (query(call, "dryRun") !== "all") this.#mappings.set(domain, mapping);
    return this.#json(mapping);
  }

  #found(call: Call): Mapping {
    const domain = param(call, "name").split("/").at(-1) ?? "";
    const mapping = this.#mappings.get(domain);
    if (!mapping) throw new Refusal("NOT_FOUND", `Resource '${domain}' of kind 'DOMAIN_MAPPING' does not exist.`);
    return mapping;
  }

  #json({ domain, route, labels, created, state }: Mapping): unknown {
    const isReady = state === "ready";
    const pending = {
      status: "Unknown",
      reason: "CertificatePending",
      message:
        "Certificate issuance pending. The challenge data was not visible through the public internet. This may indicate that DNS is not properly configured or has not fully propagated.",
    };
    const condition = isReady ? { status: "True" } : pending;
    // A name right below a registered one has a name of its own to point to.
    const isTop = domain.split(".").length === 2;
    return {
      apiVersion: "domains.cloudrun.com/v1",
      kind: "DomainMapping",
      metadata: { name: domain, namespace: this.#cloud.project.id, labels, creationTimestamp: created },
      spec: { routeName: route, certificateMode: "AUTOMATIC" },
      status: {
        mappedRouteName: route,
        url: `https://${domain}`,
        resourceRecords: isTop
          ? records
          : [{ type: "CNAME", name: domain.split(".")[0], rrdata: "ghs.googlehosted.com." }],
        conditions: [
          { type: "Ready", ...condition },
          { type: "CertificateProvisioned", ...condition },
          { type: "DomainRoutable", status: "True" },
        ],
      },
    };
  }

  #need(permission: string): Needed {
    return { permission, resource: projectResource(this.#cloud) };
  }
}
