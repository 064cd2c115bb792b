import type { Driver } from "../driver.ts";
import type { Fields } from "../fields.ts";
import { fieldsOf, hasLabels, labelled, named } from "./marked.ts";
import { containersOf, settled } from "./run.ts";
import { bodyOf } from "../terraform/written.ts";

/** A job of Cloud Run. */
export const job: Driver = {
  stage: "release",
  api: "run",
  read: ({ id }, cloud) => cloud.find({ api: "run", method: "GET", path: `/v2/${id}` }),
  list: async (cloud) => {
    const path = `/v2/projects/${cloud.place.project}/locations/${cloud.place.region}/jobs`;
    return named(await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 500 } }, "jobs"), cloud.place);
  },
  create: async ({ id, spec }, cloud) => {
    const path = `/v2/${id.replace(/\/jobs\/.*$/, "/jobs")}`;
    const query = { jobId: id.split("/").at(-1) };
    await settled(await cloud.call({ api: "run", method: "POST", path, query, body: spec }), cloud);
  },
  /** Cloud Run takes jobs as a whole. */
  patch: async ({ id, spec }, live, _changes, cloud) => {
    const body = { ...spec, labels: labelled(spec, live) };
    await settled(await cloud.call({ api: "run", method: "PATCH", path: `/v2/${id}`, body }), cloud);
  },
  remove: async (id, cloud) => {
    const gone = await cloud.find({ api: "run", method: "DELETE", path: `/v2/${id}` });
    if (gone) await settled(gone, cloud);
  },
  normalize: (live) => ({ ...live, template: template(fieldsOf(live["template"])) }),
  fixed: [],
  terraform: ({ id, spec }, { region }) => [
    {
      type: "google_cloud_run_v2_job",
      body: { name: id.split("/").at(-1) ?? "", location: region, deletion_protection: false, ...bodyOf(spec) },
    },
  ],
  isMarked: (live, place) => hasLabels(live, place),
};

function template(live: Fields): Fields {
  return { ...live, template: containersOf(fieldsOf(live["template"])) };
}
