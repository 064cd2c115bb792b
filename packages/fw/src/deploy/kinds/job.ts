import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, type Fields } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { mergeLabels } from "./ownership-marks.ts";
import { restDriver } from "./rest-driver.ts";
import { containersOf } from "./run-resource.ts";

export const job: Driver = restDriver({
  stage: "release",
  api: "run",
  collection: { in: "region", name: "jobs", pageSize: 500 },
  creation: "jobId",
  /** An update in Cloud Run replaces the whole job. */
  patch: async ({ id, spec }, cloud, { live }) => {
    const body = { ...spec, labels: mergeLabels(spec, live) };
    await cloud.waitForOperation(
      await cloud.call({ api: "run", method: "PATCH", path: pathIn("run", id), body }),
      "run",
    );
  },
  isRemoved: true,
  normalize: (live) => ({ ...live, template: template(fieldsOf(live["template"])) }),
  terraform: ({ id, spec }, { region }) => [
    {
      type: "google_cloud_run_v2_job",
      body: { name: shortName(id), location: region, deletion_protection: false, ...bodyOf(spec) },
    },
  ],
});

function template(live: Fields): Fields {
  return { ...live, template: containersOf(fieldsOf(live["template"])) };
}
