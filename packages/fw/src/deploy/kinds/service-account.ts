import { markOf } from "../../platform/gcp/names.ts";
import type { Driver } from "../driver.ts";
import { isMarkedText, textOf } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

/** A service account: whom a service runs as, or who brings messages to it. */
export const serviceAccount: Driver = {
  stage: "make",
  api: "iam",
  read: ({ id }, cloud) => cloud.find({ api: "iam", method: "GET", path: `/v1/${id}` }),
  list: async (cloud) => {
    const path = `/v1/projects/${cloud.place.project}/serviceAccounts`;
    const all = await cloud.all({ api: "iam", method: "GET", path, query: { pageSize: 100 } }, "accounts");
    return all
      .filter(({ description }) => isMarkedText(description, markOf(cloud.place)))
      .map(({ name }) => textOf(name));
  },
  create: async ({ id, spec }, cloud) => {
    const [, project = "", email = ""] = /^projects\/([^/]+)\/serviceAccounts\/(.+)$/.exec(id) ?? [];
    const body = { accountId: email.split("@")[0], serviceAccount: spec };
    await cloud.call({ api: "iam", method: "POST", path: `/v1/projects/${project}/serviceAccounts`, body });
  },
  patch: async ({ id, spec }, _live, _changes, cloud) => {
    const body = { serviceAccount: spec, updateMask: "displayName,description" };
    await cloud.call({ api: "iam", method: "PATCH", path: `/v1/${id}`, body });
  },
  remove: async (id, cloud) => {
    await cloud.find({ api: "iam", method: "DELETE", path: `/v1/${id}` });
  },
  normalize: (live) => live,
  fixed: [],
  terraform: ({ id, spec }) => [
    {
      type: "google_service_account",
      body: { account_id: id.split("/").at(-1)?.split("@")[0] ?? "", ...bodyOf(spec) },
    },
  ],
  isMarked: ({ description }, place) => isMarkedText(description, markOf(place)),
};
