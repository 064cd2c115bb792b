import { param, type Api, type Call, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { accountResource, projectResource } from "../iam/resources.ts";
import { subjectOf } from "../identity/tokens.ts";
import { inPages } from "../pages.ts";

/** Service accounts: who services run as. */
export function iam(cloud: Cloud): Api {
  const accounts = new Map<string, unknown>();
  const on =
    (permission: string) =>
    (call: Call): Needed[] => [{ permission, resource: accountResource(cloud, emailOf(call)) }];
  const found = (call: Call): unknown => {
    const account = accounts.get(emailOf(call));
    if (!account) throw new Refusal("NOT_FOUND", "Unknown service account");
    return account;
  };
  return {
    host: "iam.googleapis.com",
    methods: {
      "iam.projects.serviceAccounts.create": {
        needs: () => [{ permission: "iam.serviceAccounts.create", resource: projectResource(cloud) }],
        run: (call) => {
          const { accountId = "", serviceAccount } = call.body as { accountId?: string; serviceAccount?: object };
          if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(accountId))
            throw invalid(`Account ID ${accountId} does not have a length between 6 and 30.`);
          const email = `${accountId}@${cloud.project.id}.iam.gserviceaccount.com`;
          if (accounts.has(email))
            throw new Refusal(
              "ALREADY_EXISTS",
              `Service account ${accountId} already exists within project projects/${cloud.project.id}.`,
            );
          const account = {
            ...serviceAccount,
            name: `projects/${cloud.project.id}/serviceAccounts/${email}`,
            projectId: cloud.project.id,
            uniqueId: subjectOf(email),
            email,
          };
          accounts.set(email, account);
          return account;
        },
      },
      "iam.projects.serviceAccounts.get": { needs: on("iam.serviceAccounts.get"), run: found },
      "iam.projects.serviceAccounts.list": {
        needs: () => [{ permission: "iam.serviceAccounts.list", resource: projectResource(cloud) }],
        run: (call) => inPages(call, "accounts", [...accounts.values()]),
      },
      "iam.projects.serviceAccounts.patch": {
        needs: on("iam.serviceAccounts.update"),
        run: (call) => {
          const { serviceAccount = {}, updateMask = "" } = call.body as {
            serviceAccount?: object;
            updateMask?: string;
          };
          const changed = { ...(found(call) as object), ...masked(serviceAccount, updateMask) };
          accounts.set(emailOf(call), changed);
          return changed;
        },
      },
      "iam.projects.serviceAccounts.delete": {
        needs: on("iam.serviceAccounts.delete"),
        run: (call) => {
          found(call);
          accounts.delete(emailOf(call));
        },
      },
      ...policyMethods(cloud, {
        method: "iam.projects.serviceAccounts",
        permission: "iam.serviceAccounts",
        resource: (call) => accountResource(cloud, param(call, "resource").split("/").at(-1) ?? ""),
      }),
    },
  };
}

/** The project, and who may do what in it. */
export function projects(cloud: Cloud): Api {
  return {
    host: "cloudresourcemanager.googleapis.com",
    methods: {
      "cloudresourcemanager.projects.get": {
        needs: () => [{ permission: "resourcemanager.projects.get", resource: projectResource(cloud) }],
        run: (call) => {
          const { id, number } = cloud.project;
          // Whether there is another one, Google tells nobody who may not see it.
          if (![`projects/${id}`, `projects/${number}`].includes(param(call, "name")))
            throw new Refusal("PERMISSION_DENIED", "The caller does not have permission");
          return { name: `projects/${number}`, projectId: id, displayName: id, state: "ACTIVE" };
        },
      },
      "cloudresourcemanager.projects.testIamPermissions": {
        needs: () => [],
        run: (call) => {
          const { permissions = [] } = call.body as { permissions?: readonly string[] };
          return {
            permissions: permissions.filter((one) => cloud.policies.allowed(call.caller, one, projectResource(cloud))),
          };
        },
      },
      ...policyMethods(cloud, {
        method: "cloudresourcemanager.projects",
        permission: "resourcemanager.projects",
        resource: () => projectResource(cloud),
      }),
    },
  };
}

/** The account that a path names. */
function emailOf(call: Call): string {
  return param(call, "name").split("/").at(-1) ?? "";
}
