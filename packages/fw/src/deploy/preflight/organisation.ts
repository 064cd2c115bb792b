import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Check } from "./problem.ts";

/** A public image that exists in every region. */
const sample = "us-docker.pkg.dev/cloudrun/container/hello";

/** Checks that the organization allows public services, with a dry run at Cloud Run. */
export const checkOrganisation: Check = async ({ isPublic }, cloud) => {
  if (!isPublic) return [];
  const { project, region } = cloud.place;
  const path = `/v2/projects/${project}/locations/${region}/services`;
  const query = { serviceId: "fw-may-be-public", validateOnly: true };
  const body = { invokerIamDisabled: true, template: { containers: [{ image: sample }] } };
  try {
    await cloud.call({ api: "run", method: "POST", path, query, body, repeatable: true });
    return [];
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    // Other problems with the sample do not affect the application.
    if (!/constraints?\/|organi[sz]ation polic/i.test(error.serverMessage)) return [];
    const todo = [
      "ask an administrator of the organisation to allow services without the IAM invoker check in this project",
      `its policies: https://console.cloud.google.com/iam-admin/orgpolicies/run-managed-requireInvokerIam?project=${project}`,
      "or make every route private and put your own proxy in front of the services",
    ];
    return [{ what: `an organisation policy forbids public services in ${project} (${error.serverMessage})`, todo }];
  }
};
