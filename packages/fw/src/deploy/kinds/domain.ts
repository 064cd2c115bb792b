import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { labelsOf } from "../../platform/gcp/names.ts";
import { shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../deploy-place.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { hasLabels, markedNames } from "./ownership-marks.ts";
import { restDriver } from "./rest-driver.ts";

/** How long Google takes to issue a domain's certificate (SPEC "Limits", Domain certificate). */
export const certificateTime = "usually about 15 minutes, up to 24 hours";

/** A domain mapping. Cloud Run cannot change one, so it is replaced, with a new certificate. */
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
    return markedNames(all, cloud.place).map((name) => `${parent}/${name}`);
  },
  create: async ({ id, spec }, cloud) => {
    const [parent = "", name = ""] = id.split("/domainmappings/");
    const { place } = cloud;
    const metadata = { name, namespace: place.project, labels: labelsOf(place) };
    const body = { apiVersion: "domains.cloudrun.com/v1", kind: "DomainMapping", metadata, ...spec };
    await cloud.call({ api: "run", method: "POST", path: `/v1/${parent}/domainmappings`, body });
  },
  /** Replaces a mapping that was created after planning. */
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
      return { downtime: `${name} is offline until its new certificate is issued: ${certificateTime}` };
    if (step !== "prune") return {};
    return {
      downtime: `${name} goes offline`,
      forGood: `mapping it again requires a new certificate: ${certificateTime}`,
    };
  },
});

export function routeOf(mapping: Fields): string {
  return textOf(fieldsOf(mapping["spec"])["routeName"]);
}

/** Returns instructions for getting access to domain mappings, which no permission controls. */
export function editorsOnly({ project }: DeployPlace): readonly string[] {
  return [
    "Google lets only editors of a project map domains; ask an owner of the project for that role:",
    `gcloud projects add-iam-policy-binding ${project} --member <you> --role roles/editor`,
  ];
}

export function mappingsIn(parent: string, cloud: DeployCloud): Promise<readonly Fields[]> {
  return cloud.all({ api: "run", method: "GET", path: `/v1/${parent}` }, "items");
}

/** Deletes a mapping and waits until it is gone, because a new one is refused until then. */
async function remove(id: string, cloud: DeployCloud): Promise<void> {
  await cloud.find({ api: "run", method: "DELETE", path: `/v1/${id}` });
  await cloud.until(
    `the release of ${shortName(id)}`,
    async () => (await domain.read({ id, spec: {} }, cloud)) === undefined,
  );
}
