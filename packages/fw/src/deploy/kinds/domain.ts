import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { labelsOf } from "../../platform/gcp/names.ts";
import { shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../place.ts";
import { bodyOf } from "../terraform/written.ts";
import { hasLabels, named } from "./marked.ts";
import { restDriver } from "./rest-driver.ts";

/** SPEC "Limits", Domain certificate. */
export const certificateTime = "usually about 15 minutes, up to 24 hours";

/** A domain that leads to a service. Cloud Run cannot change one: it is removed and made again, with a new certificate. */
export const domain: Driver = restDriver({
  stage: "connect",
  api: "run",
  read: ({ id }, cloud) => cloud.find({ api: "run", method: "GET", path: `/v1/${id}` }),
  list: async (cloud) => {
    const parent = `projects/${cloud.place.project}/locations/${cloud.place.region}/domainmappings`;
    const mappings = await mappingsIn(parent, cloud).catch((error: unknown) => {
      if (!(error instanceof CloudError) || error.status !== 403) throw error;
      throw new CloudError([error.message, ...editorsOnly(cloud.place)].join("\n    "), error, { cause: error });
    });
    const all = mappings.map((live) => fieldsOf(live["metadata"]));
    return named(all, cloud.place).map((name) => `${parent}/${name}`);
  },
  create: async ({ id, spec }, cloud) => {
    const [parent = "", name = ""] = id.split("/domainmappings/");
    const { place } = cloud;
    const metadata = { name, namespace: place.project, labels: labelsOf(place) };
    const body = { apiVersion: "domains.cloudrun.com/v1", kind: "DomainMapping", metadata, ...spec };
    await cloud.call({ api: "run", method: "POST", path: `/v1/${parent}/domainmappings`, body });
  },
  /** It has come to be there between plan and creation. */
  patch: async (resource, cloud) => {
    await remove(resource.id, cloud);
    await domain.create(resource, cloud);
  },
  remove,
  fixed: ["spec"],
  terraform: ({ id, spec }, place) => [
    {
      type: "google_cloud_run_domain_mapping",
      body: {
        name: shortName(id),
        location: place.region,
        ...bodyOf({ metadata: { namespace: place.project, labels: labelsOf(place) }, ...spec }),
      },
    },
  ],
  replaces: "again",
  isMarked: (live, place, spec) =>
    hasLabels(fieldsOf(live["metadata"]), place) || (routeOf(spec) !== "" && routeOf(live) === routeOf(spec)),
  notes: (step, { id }) => {
    const name = shortName(id);
    if (step === "replace")
      return { downtime: `${name} is dark until its new certificate is there: ${certificateTime}` };
    if (step !== "prune") return {};
    return {
      downtime: `${name} is not answered any more`,
      forGood: `where it is mapped again, it waits for a new certificate: ${certificateTime}`,
    };
  },
});

/** The service that a mapping leads to. */
export function routeOf(mapping: Fields): string {
  return textOf(fieldsOf(mapping["spec"])["routeName"]);
}

/** How to get the right to see and to map domains, which Cloud Run has no permissions for. */
export function editorsOnly({ project }: DeployPlace): readonly string[] {
  return [
    "Google lets only editors of a project map domains; ask an owner of the project for that role:",
    `gcloud projects add-iam-policy-binding ${project} --member <you> --role roles/editor`,
  ];
}

/** All mappings of a region. */
export function mappingsIn(parent: string, cloud: DeployCloud): Promise<readonly Fields[]> {
  return cloud.all({ api: "run", method: "GET", path: `/v1/${parent}` }, "items");
}

/** Removed is what is not found any more: until then a new mapping is refused. */
async function remove(id: string, cloud: DeployCloud): Promise<void> {
  await cloud.find({ api: "run", method: "DELETE", path: `/v1/${id}` });
  await cloud.until(
    `${shortName(id)} is free again`,
    async () => (await domain.read({ id, spec: {} }, cloud)) === undefined,
  );
}
