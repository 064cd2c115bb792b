import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Check } from "./problem.ts";

/** What every region has, and anybody may start. */
const sample = "us-docker.pkg.dev/cloudrun/container/hello";

/** Whether the organisation lets a service be asked by anybody: Cloud Run looks at one that it does not make. */
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
    // Whatever else is wrong with the sample is no matter of the application.
    if (!/constraints?\/|organi[sz]ation polic/i.test(error.serverMessage)) return [];
    const todo = [
      "have whoever administers the organisation allow services without the IAM check of callers in this project",
      `its policies: https://console.cloud.google.com/iam-admin/orgpolicies/run-managed-requireInvokerIam?project=${project}`,
      "or make every route private, and put something of your own before the services",
    ];
    return [{ what: `the organisation does not let services of ${project} be public (${error.serverMessage})`, todo }];
  }
};
