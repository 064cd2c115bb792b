import type { Check } from "./problem.ts";
import { textOf } from "../fields.ts";

/** Service accounts that a project has at most, unless Google has raised that. */
const quota = 100;

/** From here on it is told: each service takes one, and one more who brings it its messages. */
const many = 80;

/** Whether the project has room for the accounts of services. The quota itself is not to be seen, so that this only warns. */
export const checkAccounts: Check = async ({ resources }, cloud) => {
  const { project } = cloud.place;
  const path = `/v1/projects/${project}/serviceAccounts`;
  const live = await cloud.all({ api: "iam", method: "GET", path, query: { pageSize: 100 } }, "accounts");
  const declared = resources(cloud.place);
  if (typeof declared === "string") return [];
  const wanted = declared.filter(({ kind }) => kind === "service-account");
  const all = new Set([...live.map(({ name }) => textOf(name)), ...wanted.map(({ id }) => id)]);
  if (all.size <= many) return [];
  const what = `the project would have ${all.size} service accounts, of ${quota} that Google gives a project at first`;
  const url = `https://console.cloud.google.com/iam-admin/quotas?project=${project}&service=iam.googleapis.com`;
  return [
    { what, todo: [`have the quota raised at ${url}, or deploy environments to projects of their own`], warns: true },
  ];
};
