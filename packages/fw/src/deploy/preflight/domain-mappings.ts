import { serviceName } from "../../platform/gcp/names.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";
import { editorsOnly, mappingsIn, routeOf } from "../kinds/domain.ts";
import { hasLabels } from "../kinds/marked.ts";
import type { Check, Needs, Problem, Who } from "./problem.ts";

/** SPEC "Limits", Domain regions. */
const domainRegions = [
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

type Domain = Needs["domains"][number];

/** Whether each domain can be mapped to its service: the region, whose it is, and where it leads now. */
export const checkDomains: Check = async ({ domains }, cloud, asking) => {
  if (domains.length === 0) return [];
  const { region } = cloud.place;
  if (!domainRegions.includes(region)) return domains.map((domain) => unsupported(domain, region));
  const verified = await verifiedDomains(cloud);
  if (typeof verified === "string") return domains.map(({ at }) => ({ at, ...unasked(verified, cloud) }));
  try {
    const elsewhere = await mappingsElsewhere(cloud);
    const problems = await Promise.all(
      domains.map((domain) => problemOf(domain, cloud, { ...asking, verified, elsewhere })),
    );
    return problems.filter((problem) => problem !== undefined);
  } catch (error) {
    if (!(error instanceof CloudError) || error.status !== 403) throw error;
    const what = `your account may not see the domain mappings of ${cloud.place.project} (${error.serverMessage})`;
    return [{ what, todo: editorsOnly(cloud.place), ...(domains[0] && { at: domains[0].at }) }];
  }
};

interface Known extends Who {
  readonly verified: readonly string[];
  /** Regions of this project in which a domain is mapped, by the domain. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

async function problemOf(domain: Domain, cloud: DeployCloud, known: Known): Promise<Problem | undefined> {
  const { place } = cloud;
  const service = serviceName(place, domain.service);
  const parent = parentOf(cloud, place.region);
  const live = await cloud.find({ api: "run", method: "GET", path: `/v1/${parent}/${domain.domain}` });
  if (live) {
    const isOwn = hasLabels(fieldsOf(live["metadata"]), place);
    if (isOwn || known.adopt || routeOf(live) === service) return undefined;
    return taken(domain, `to ${routeOf(live)} in ${place.region}`, [
      ...freed(domain, place.region, cloud),
      "or deploy with --adopt, which asks before it moves the domain here",
    ]);
  }
  const other = known.elsewhere.get(domain.domain);
  if (other !== undefined) return taken(domain, `in ${other}, in this project`, freed(domain, other, cloud));
  if (!known.verified.some((own) => domain.domain === own || domain.domain.endsWith(`.${own}`)))
    return unverified(domain, known);
  return tried(domain, service, cloud);
}

/** Has Google look whether it would take the mapping. That the service is not there yet is no problem. */
async function tried({ domain, at }: Domain, routeName: string, cloud: DeployCloud): Promise<Problem | undefined> {
  const { place } = cloud;
  const body = {
    apiVersion: "domains.cloudrun.com/v1",
    kind: "DomainMapping",
    metadata: { name: domain, namespace: place.project },
    spec: { routeName, certificateMode: "AUTOMATIC" },
  };
  const path = `/v1/${parentOf(cloud, place.region)}`;
  try {
    await cloud.call({ api: "run", method: "POST", path, query: { dryRun: "all" }, body, repeatable: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.status === 409)
      return taken({ domain, at }, `in another project (${error.serverMessage})`, [
        "remove the mapping there, or have its owner do it; then deploy again",
      ]);
    if (error.status !== 403) return undefined;
    return { what: `you may not map the domain ${domain} (${error.serverMessage})`, at, todo: editorsOnly(place) };
  }
}

function unsupported({ domain, at }: Domain, region: string): Problem {
  const todo = [`deploy to one of ${domainRegions.join(", ")}`, "or leave the domain to a load balancer of your own"];
  return { what: `the domain ${domain} cannot be mapped: the region ${region} has no domain mapping`, at, todo };
}

function taken({ domain, at }: Pick<Domain, "domain" | "at">, where: string, todo: readonly string[]): Problem {
  return { what: `409: the domain ${domain} is already mapped ${where}`, at, todo };
}

function freed({ domain }: Domain, region: string, { place }: DeployCloud): readonly string[] {
  const remove = `gcloud beta run domain-mappings delete --domain ${domain} --region ${region} --project ${place.project}`;
  return [`remove that mapping, which leaves the domain dark: ${remove}`];
}

function unverified({ domain, at }: Domain, { who }: Who): Problem {
  const todo = [
    `prove at https://search.google.com/search-console/welcome that ${domain}, or a name above it, is yours, as the account that deploys`,
    `a service account of a CI is made an owner there: Settings, Users and permissions (this is ${who})`,
  ];
  return { what: `the domain ${domain} is not verified for the account that deploys`, at, todo };
}

/** The domains that the caller has proved to be his; a text is why that is not known. */
async function verifiedDomains(cloud: DeployCloud): Promise<readonly string[] | string> {
  const path = `/v1/projects/${cloud.place.project}/authorizeddomains`;
  try {
    // Asked for once: an API that is off answers an error, which a list takes for nothing.
    await cloud.call({ api: "run", method: "GET", path, query: { pageSize: 1 } });
  } catch (error) {
    if (error instanceof CloudError && error.status === 403) return error.serverMessage || error.code;
    throw error;
  }
  const all = await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 1000 } }, "domains");
  return all.map(({ id }) => textOf(id));
}

function unasked(said: string, { place }: DeployCloud): Problem {
  const enable = `gcloud services enable run.googleapis.com --project ${place.project}`;
  return {
    what: `whose the domain is cannot be asked of Cloud Run (${said})`,
    todo: [`where its API is off, switch it on: ${enable}`],
  };
}

async function mappingsElsewhere(cloud: DeployCloud): Promise<ReadonlyMap<string, string>> {
  const others = domainRegions.filter((region) => region !== cloud.place.region);
  const found = await Promise.all(
    others.map(async (region) =>
      (await mappingsIn(parentOf(cloud, region), cloud)).map((live): [string, string] => [nameOf(live), region]),
    ),
  );
  return new Map(found.flat());
}

function nameOf(mapping: Fields): string {
  return textOf(fieldsOf(mapping["metadata"])["name"]);
}

function parentOf({ place }: DeployCloud, region: string): string {
  return `projects/${place.project}/locations/${region}/domainmappings`;
}
