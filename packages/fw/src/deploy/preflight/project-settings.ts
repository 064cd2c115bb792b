import type { Check } from "./problem.ts";
import { textOf, type Fields } from "../fields.ts";
import { isSwitchedOff } from "../switched-off.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { secretName } from "../../platform/gcp/names.ts";

/** Google's default quota for service accounts per project. */
const quota = 100;

/** Warns above this number of accounts: a service needs one, or two if it receives deliveries. */
const warningThreshold = 80;

/** Checks that the project has room for the services' accounts. The actual quota cannot be read, so this only warns. */
export const checkAccounts: Check = async ({ resources }, cloud) => {
  const { project } = cloud.place;
  const live = await cloud.all(
    { api: "iam", method: "GET", path: `/v1/projects/${project}/serviceAccounts`, query: { pageSize: 100 } },
    "accounts",
  );
  const declared = resources(cloud.place);
  if (typeof declared === "string") return [];
  const declaredIds = declared.flatMap(({ kind, id }) => (kind === "service-account" ? id : []));
  const all = new Set([...live.map(({ name }) => textOf(name)), ...declaredIds]);
  if (all.size <= warningThreshold) return [];
  const what = `the project would have ${all.size} service accounts; Google's default quota is ${quota}`;
  const url = `https://console.cloud.google.com/iam-admin/quotas?project=${project}&service=iam.googleapis.com`;
  return [{ what, todo: [`raise the quota at ${url}, or deploy each environment to its own project`], warns: true }];
};

/** Checks that the Service Usage API is enabled, which a deploy uses to enable all others. */
export const checkApis: Check = async (_, cloud) => {
  const { project } = cloud.place;
  try {
    const path = `/v1/projects/${project}/services/run.googleapis.com`;
    await cloud.call({ api: "serviceusage", method: "GET", path });
    return [];
  } catch (error) {
    if (!isSwitchedOff(error)) throw error;
    return [
      {
        what: `fw cannot enable APIs in the project ${project}: its Service Usage API is disabled`,
        todo: [`enable it: gcloud services enable serviceusage.googleapis.com --project ${project}`],
      },
    ];
  }
};

/**
 * Checks that the project has a billing account. If that cannot be read, an enabled Cloud Run API is proof, because it
 * requires billing.
 */
export const checkBilling: Check = async (_, cloud) => {
  const { project } = cloud.place;
  const todo = [`link one at https://console.cloud.google.com/billing/linkedaccount?project=${project}`];
  try {
    const path = `/v1/projects/${project}/billingInfo`;
    const { billingEnabled } = await cloud.call<Fields>({ api: "cloudbilling", method: "GET", path });
    if (billingEnabled === true) return [];
    return [{ what: `the project ${project} has no billing account, so nothing can run in it`, todo }];
  } catch (error) {
    if (!(error instanceof CloudError) || error.status !== 403) throw error;
    if (await isRunOn(cloud)) return [];
    const what = `cannot check whether the project ${project} has a billing account (${error.serverMessage})`;
    return [{ what, todo: [`if it has none, ${todo[0]}`], warns: true }];
  }
};

async function isRunOn(cloud: DeployCloud): Promise<boolean> {
  const path = `/v1/projects/${cloud.place.project}/services/run.googleapis.com`;
  const live = await cloud.find({ api: "serviceusage", method: "GET", path });
  return live?.["state"] === "ENABLED";
}

/** Checks that Cloud Run supports the region. Skipped while its API is disabled. */
export const checkRegion: Check = async (_, cloud) => {
  const { project, region } = cloud.place;
  const path = `/v1/projects/${project}/locations`;
  const all = await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 500 } }, "locations");
  const regions = all.map(({ locationId }) => textOf(locationId)).toSorted();
  if (regions.length === 0 || regions.includes(region)) return [];
  return [
    { what: `Cloud Run is not available in the region ${region}`, todo: [`deploy to one of ${regions.join(", ")}`] },
  ];
};

/** A public image that is available in every region. */
const sample = "us-docker.pkg.dev/cloudrun/container/hello";

/** Checks, with a dry run at Cloud Run, that the organization allows public services. */
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
    // Other problems with the sample service do not affect the application.
    if (!/constraints?\/|organi[sz]ation polic/i.test(error.serverMessage)) return [];
    const todo = [
      "ask an administrator of the organization to allow services without the IAM invoker check in this project",
      `its policies: https://console.cloud.google.com/iam-admin/orgpolicies/run-managed-requireInvokerIam?project=${project}`,
      "or make every route private and put your own proxy in front of the services",
    ];
    return [{ what: `an organization policy forbids public services in ${project} (${error.serverMessage})`, todo }];
  }
};

/** Checks that every secret has a value. Users set secrets themselves: a deploy neither writes nor shows them. */
export const checkSecrets: Check = async ({ secrets }, cloud) => {
  const { place } = cloud;
  const problems = await Promise.all(
    secrets.map(async ({ name, at }) => {
      const id = secretName(place, name);
      const path = `/v1/projects/${place.project}/secrets/${id}/versions/latest`;
      const live = await cloud.find({ api: "secretmanager", method: "GET", path });
      if (live?.["state"] === "ENABLED") return [];
      const exists =
        live !== undefined ||
        (await cloud.find({ api: "secretmanager", method: "GET", path: path.replace("/versions/latest", "") }));
      const verb = exists ? `versions add ${id}` : `create ${id}`;
      const what = exists ? `the secret ${id} has no enabled version` : `the secret ${id} does not exist`;
      return [
        {
          what,
          at,
          todo: [`set its value: printf %s "…" | gcloud secrets ${verb} --project ${place.project} --data-file=-`],
        },
      ];
    }),
  );
  return problems.flat();
};

/** Checks that the social provider is enabled, which only a person can do, in Google's console. */
export const checkSocial: Check = async ({ social }, cloud) => {
  const { project } = cloud.place;
  if (!social) return [];
  const path = `/v2/projects/${project}/defaultSupportedIdpConfigs/google.com`;
  const live = await cloud.find({ api: "identitytoolkit", method: "GET", path });
  if (live?.["enabled"] === true) return [];
  const todo = [
    `1. open https://console.cloud.google.com/customer-identity/providers?project=${project} (enable Identity Platform if it asks)`,
    `2. add the provider Google; create its client at https://console.cloud.google.com/apis/credentials?project=${project},`,
    `   with the redirect URI https://${project}.firebaseapp.com/__/auth/handler`,
    "3. deploy again; at a terminal, this deploy continues by itself",
  ];
  return [
    {
      what: `the application declares the social provider, but it is not enabled in ${project}`,
      todo,
      manual: true,
    },
  ];
};
