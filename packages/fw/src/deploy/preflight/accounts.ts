import type { Check } from "./problem.ts";
import { textOf } from "../fields.ts";

/** Google's default quota of service accounts in a project. */
const quota = 100;

/** The number of accounts above which to warn: each service needs one, and another for deliveries. */
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
