import { serviceName } from "../../platform/gcp/names.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";
import { editorsOnly, mappingsIn, routeOf } from "../kinds/domain.ts";
import { hasLabels } from "../kinds/ownership-marks.ts";
import type { Check, DeployNeeds, Problem, Deployer } from "./problem.ts";

/** The regions in which Cloud Run maps domains (SPEC "Limits", Domain regions). */
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

type Domain = DeployNeeds["domains"][number];

/** Checks that each domain can be mapped to its service: region, ownership and existing mappings. */
export const checkDomains: Check = async ({ domains }, cloud, asking) => {
  if (domains.length === 0) return [];
  const { region } = cloud.place;
  if (!domainRegions.includes(region)) return domains.map((domain) => unsupported(domain, region));
  const verified = await verifiedDomains(cloud);
  if (typeof verified === "string") return domains.map(({ at }) => ({ at, ...unknownOwner(verified, cloud) }));
  try {
    const elsewhere = await mappingsElsewhere(cloud);
    const problems = await Promise.all(
      domains.map((domain) => problemOf(domain, cloud, { ...asking, verified, otherRegions: elsewhere })),
    );
    return problems.filter((problem) => problem !== undefined);
  } catch (error) {
    if (!(error instanceof CloudError) || error.status !== 403) throw error;
    const what = `your account has no access to the domain mappings of ${cloud.place.project} (${error.serverMessage})`;
    return [{ what, todo: editorsOnly(cloud.place), ...(domains[0] && { at: domains[0].at }) }];
  }
};

interface DomainContext extends Deployer {
  readonly verified: readonly string[];
  /** The other regions of this project that have a mapping, by domain. */
  readonly otherRegions: ReadonlyMap<string, string>;
}

async function problemOf(domain: Domain, cloud: DeployCloud, context: DomainContext): Promise<Problem | undefined> {
  const { place } = cloud;
  const service = serviceName(place, domain.service);
  const parent = parentOf(cloud, place.region);
  const live = await cloud.find({ api: "run", method: "GET", path: `/v1/${parent}/${domain.domain}` });
  if (live) {
    const isOwn = hasLabels(fieldsOf(live["metadata"]), place);
    if (isOwn || context.adopt || routeOf(live) === service) return undefined;
    return takenProblem(domain, `to ${routeOf(live)} in ${place.region}`, [
      ...removalCommands(domain, place.region, cloud),
      "or deploy with --adopt, which asks for confirmation before it moves the domain",
    ]);
  }
  const other = context.otherRegions.get(domain.domain);
  if (other !== undefined)
    return takenProblem(domain, `in ${other}, in this project`, removalCommands(domain, other, cloud));
  if (!context.verified.some((own) => domain.domain === own || domain.domain.endsWith(`.${own}`)))
    return unverified(domain, context);
  return dryRunProblem(domain, service, cloud);
}

/** Dry-runs the mapping at Google and returns its problem, if any. A missing service is not a problem yet. */
async function dryRunProblem(
  { domain, at }: Domain,
  routeName: string,
  cloud: DeployCloud,
): Promise<Problem | undefined> {
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
      return takenProblem({ domain, at }, `in another project (${error.serverMessage})`, [
        "remove the mapping there or ask its owner to, then deploy again",
      ]);
    if (error.status !== 403) return undefined;
    return {
      what: `your account may not map the domain ${domain} (${error.serverMessage})`,
      at,
      todo: editorsOnly(place),
    };
  }
}

function unsupported({ domain, at }: Domain, region: string): Problem {
  const todo = [`deploy to one of ${domainRegions.join(", ")}`, "or use your own load balancer for the domain"];
  return {
    what: `the domain ${domain} cannot be mapped: the region ${region} does not support domain mappings`,
    at,
    todo,
  };
}

function takenProblem({ domain, at }: Pick<Domain, "domain" | "at">, where: string, todo: readonly string[]): Problem {
  return { what: `409: the domain ${domain} is already mapped ${where}`, at, todo };
}

function removalCommands({ domain }: Domain, region: string, { place }: DeployCloud): readonly string[] {
  const remove = `gcloud beta run domain-mappings delete --domain ${domain} --region ${region} --project ${place.project}`;
  return [`remove that mapping (the domain is then offline): ${remove}`];
}

function unverified({ domain, at }: Domain, { who }: Deployer): Problem {
  const todo = [
    `verify that you own ${domain} or a parent domain at https://search.google.com/search-console/welcome, with the deploying account`,
    `for a CI's service account, add it as an owner there under Settings, Users and permissions (this is ${who})`,
  ];
  return { what: `the domain ${domain} is not verified for the deploying account`, at, todo };
}

/** Returns the caller's verified domains, or the reason if they cannot be read. */
async function verifiedDomains(cloud: DeployCloud): Promise<readonly string[] | string> {
  const path = `/v1/projects/${cloud.place.project}/authorizeddomains`;
  try {
    // Calls the API directly first, because `all` treats the error of a disabled API as an empty list.
    await cloud.call({ api: "run", method: "GET", path, query: { pageSize: 1 } });
  } catch (error) {
    if (error instanceof CloudError && error.status === 403) return error.serverMessage || error.code;
    throw error;
  }
  const all = await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 1000 } }, "domains");
  return all.map(({ id }) => textOf(id));
}

function unknownOwner(reason: string, { place }: DeployCloud): Problem {
  const enable = `gcloud services enable run.googleapis.com --project ${place.project}`;
  return {
    what: `cannot ask Cloud Run for the verified domains (${reason})`,
    todo: [`if its API is disabled, enable it: ${enable}`],
  };
}

async function mappingsElsewhere(cloud: DeployCloud): Promise<ReadonlyMap<string, string>> {
  const others = domainRegions.filter((region) => region !== cloud.place.region);
  const mappings = await Promise.all(
    others.map(async (region) =>
      (await mappingsIn(parentOf(cloud, region), cloud)).map((live): [string, string] => [nameOf(live), region]),
    ),
  );
  return new Map(mappings.flat());
}

function nameOf(mapping: Fields): string {
  return textOf(fieldsOf(mapping["metadata"])["name"]);
}

function parentOf({ place }: DeployCloud, region: string): string {
  return `projects/${place.project}/locations/${region}/domainmappings`;
}
