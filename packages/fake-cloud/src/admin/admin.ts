import { nameOf, type Api, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { wantedIn } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { accountResource, projectResource } from "../iam/resources.ts";
import { emailOf } from "../identity/credentials.ts";
import { subjectOf } from "../identity/tokens.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";
import { Resources } from "../resources.ts";

/** Creates the API of service accounts, the identities of services. */
export function iam(cloud: Cloud): Api {
  const { id } = cloud.project;
  const accounts = new Resources<object>({
    methods: "iam.projects.serviceAccounts",
    permissions: "iam.serviceAccounts",
    on: (call) => accountResource(cloud, emailOf(call)),
    in: onProject(cloud),
    policies: cloud,
    items: "accounts",
    name: emailOf,
    newName: (call) => {
      const { accountId = "" } = call.body as { accountId?: string };
      if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(accountId))
        throw invalid(`Account ID ${accountId} does not have a length between 6 and 30.`);
      return `${accountId}@${id}.iam.gserviceaccount.com`;
    },
    missing: () => new Refusal("NOT_FOUND", "Unknown service account"),
    exists: (email) =>
      new Refusal(
        "ALREADY_EXISTS",
        `Service account ${email.split("@")[0]} already exists within project projects/${id}.`,
      ),
    wrapped: "serviceAccount",
    make: (call, email) => {
      spread(cloud, email);
      return {
        ...wantedIn(call, "serviceAccount"),
        name: `projects/${id}/serviceAccounts/${email}`,
        projectId: id,
        uniqueId: subjectOf(email),
        email,
      };
    },
  });
  const setDisabled = (call: Call, disabled: boolean): object => {
    accounts.set(emailOf(call), { ...accounts.of(call), disabled });
    return {};
  };
  const methods = accounts.methods({
    disable: (call) => setDisabled(call, true),
    enable: (call) => setDisabled(call, false),
  });
  return { host: "iam.googleapis.com", methods };
}

/** Delays the use of a new account in policies, although it can be read immediately. */
function spread({ clock, delays, newAccounts }: Cloud, email: string): void {
  if (delays.account === 0) return;
  newAccounts.add(email);
  clock.after(delays.account, () => void newAccounts.delete(email));
}

/** Creates the API of the project and its IAM policy. */
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
          // Google hides whether a project exists from callers without access.
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
            permissions: permissions.filter((one) =>
              cloud.policies.isAllowed(call.caller, one, projectResource(cloud)),
            ),
          };
        },
      },
      ...policyMethods(cloud, kind),
    },
  };
}
