import { collectionOf, pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { isDescribed } from "./ownership-marks.ts";
import { restDriver } from "./rest-driver.ts";

/** A service account: the identity of a service, or of the deliveries and cron triggers that it receives. */
export const serviceAccount: Driver = restDriver({
  stage: "make",
  api: "iam",
  collection: { in: "project", name: "serviceAccounts", as: "accounts", pageSize: 100 },
  create: async ({ id, spec }, cloud) => {
    const body = { accountId: accountId(id), serviceAccount: spec };
    await cloud.call({ api: "iam", method: "POST", path: pathIn("iam", collectionOf(id)), body });
  },
  wrapped: "serviceAccount",
  isRemoved: true,
  revives: { field: "disabled", verb: "enable" },
  terraform: ({ id, spec }) => [
    { type: "google_service_account", body: { account_id: accountId(id), ...bodyOf(spec) } },
  ],
  isMarked: isDescribed,
});

/** Returns the local part of the email address at the end of the id. */
function accountId(id: string): string {
  return shortName(id).split("@")[0] ?? "";
}
