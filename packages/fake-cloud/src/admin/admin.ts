import type { Api, Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { accountResource, projectResource } from "../iam/resources.ts";
import { emailOf } from "../identity/credentials.ts";
import { subjectOf } from "../identity/tokens.ts";
import { methodsOf, nameOf, onProject, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";

/** Service accounts: who services run as. */
export function iam(cloud: Cloud): Api {
  const accounts = new Map<string, unknown>();
  const kind: ResourceKind = {
    methods: "iam.projects.serviceAccounts",
    permissions: "iam.serviceAccounts",
    on: (call) => accountResource(cloud, emailOf(call)),
  };
  const found = (call: Call): unknown => {
    const account = accounts.get(emailOf(call));
    if (!account) throw new Refusal("NOT_FOUND", "Unknown service account");
    return account;
  };
  return {
    host: "iam.googleapis.com",
    methods: {
      ...methodsOf(kind, {
        create: {
          on: onProject(cloud),
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
        get: found,
        list: { on: onProject(cloud), run: (call) => inPages(call, { accounts: [...accounts.values()] }) },
        patch: (call) => {
          const { serviceAccount = {}, updateMask = "" } = call.body as {
            serviceAccount?: object;
            updateMask?: string;
          };
          const changed = { ...(found(call) as object), ...masked(serviceAccount, updateMask) };
          accounts.set(emailOf(call), changed);
          return changed;
        },
        delete: (call) => {
          found(call);
          accounts.delete(emailOf(call));
        },
      }),
      ...policyMethods(cloud, kind),
    },
  };
}

/** The project, and who may do what in it. */
export function projects(cloud: Cloud): Api {
  const kind: ResourceKind = {
    methods: "cloudresourcemanager.projects",
    permissions: "resourcemanager.projects",
    on: onProject(cloud),
  };
  return {
    host: "cloudresourcemanager.googleapis.com",
    methods: {
      ...methodsOf(kind, {
        get: (call) => {
          const { id, number } = cloud.project;
          // Whether there is another one, Google tells nobody who may not see it.
          if (![`projects/${id}`, `projects/${number}`].includes(nameOf(call)))
            throw new Refusal("PERMISSION_DENIED", "The caller does not have permission");
          return { name: `projects/${number}`, projectId: id, displayName: id, state: "ACTIVE" };
        },
      }),
      "cloudresourcemanager.projects.testIamPermissions": {
        needs: () => [],
        run: (call) => {
          const { permissions = [] } = call.body as { permissions?: readonly string[] };
          return {
            permissions: permissions.filter((one) => cloud.policies.allowed(call.caller, one, projectResource(cloud))),
          };
        },
      },
      ...policyMethods(cloud, kind),
    },
  };
}
