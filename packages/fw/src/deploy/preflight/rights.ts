import type { Kind, Resource } from "../resource.ts";
import type { Check, DeployNeeds } from "./problem.ts";

/** The permissions that a deploy needs for each kind of resource; empty if another kind's permissions include them. */
const permissions: Readonly<Record<Kind, readonly string[]>> = {
  alert: ["monitoring.alertPolicies.create"],
  api: ["serviceusage.services.enable"],
  bucket: ["storage.buckets.create"],
  channel: ["monitoring.notificationChannels.create"],
  dashboard: ["monitoring.dashboards.create"],
  database: ["datastore.databases.create", "datastore.entities.list"],
  // Cloud Run has no permissions for domains, so `checkDomains` tries a mapping.
  domain: [],
  "field-indexes": ["datastore.entities.create", "datastore.entities.get", "datastore.entities.update"],
  grants: ["resourcemanager.projects.setIamPolicy"],
  image: [],
  "image-repository": ["artifactregistry.repositories.create"],
  index: ["datastore.indexes.create"],
  job: ["run.jobs.create", "run.jobs.setIamPolicy", "iam.serviceAccounts.actAs"],
  metric: ["monitoring.metricDescriptors.create"],
  notification: [],
  queue: ["cloudtasks.queues.create"],
  schedule: ["cloudscheduler.jobs.create"],
  service: ["run.services.create", "run.services.setIamPolicy", "iam.serviceAccounts.actAs"],
  "service-account": ["iam.serviceAccounts.create", "iam.serviceAccounts.setIamPolicy"],
  "sign-in": ["firebaseauth.configs.update"],
  subscription: ["pubsub.subscriptions.create"],
  "time-to-live": [],
  topic: ["pubsub.topics.create"],
  traffic: [],
};

/** The narrowest predefined role for permissions with a given prefix. More specific prefixes come first. */
const roles: Readonly<Record<string, string>> = {
  "artifactregistry.": "roles/artifactregistry.admin",
  "cloudscheduler.": "roles/cloudscheduler.admin",
  "cloudtasks.": "roles/cloudtasks.admin",
  "datastore.": "roles/datastore.owner",
  "firebaseauth.": "roles/firebaseauth.admin",
  "iam.serviceAccounts.actAs": "roles/iam.serviceAccountUser",
  "iam.": "roles/iam.serviceAccountAdmin",
  "monitoring.": "roles/monitoring.editor",
  "pubsub.": "roles/pubsub.admin",
  "resourcemanager.": "roles/resourcemanager.projectIamAdmin",
  "run.": "roles/run.admin",
  "secretmanager.versions.get": "roles/secretmanager.viewer",
  "secretmanager.": "roles/secretmanager.admin",
  "serviceusage.": "roles/serviceusage.serviceUsageAdmin",
  "storage.": "roles/storage.admin",
};

/** Checks that the deploying account has the permissions that the application's resources require. */
export const checkRights: Check = async (needs, cloud) => {
  const { project } = cloud.place;
  const resources = needs.resources(cloud.place);
  // A string is an error about a name, which `checkResources` reports.
  if (typeof resources === "string") return [];
  const required = permissionsFor(resources, needs);
  const { permissions: grantedPermissions = [] } = await cloud.call<{ permissions?: readonly string[] }>({
    api: "cloudresourcemanager",
    method: "POST",
    path: `/v3/projects/${project}:testIamPermissions`,
    body: { permissions: required },
    repeatable: true,
  });
  const lacking = required.filter((permission) => !grantedPermissions.includes(permission));
  if (lacking.length === 0) return [];
  const todo = [
    "ask an owner of the project for these roles:",
    ...[...new Set(lacking.map(roleWith))].map(
      (role) => `gcloud projects add-iam-policy-binding ${project} --member <you> --role ${role}`,
    ),
  ];
  return [{ what: `your account lacks ${lacking.join(", ")} in ${project}`, todo }];
};

/**
 * Returns the permissions that a deploy needs. Grants are always included, because every deploy writes the project's
 * policy to revoke earlier grants.
 */
function permissionsFor(resources: readonly Resource[], { secrets }: DeployNeeds): readonly string[] {
  const kinds = new Set(resources.map(({ kind }) => kind));
  const all = [
    ...permissions.grants,
    ...[...kinds].flatMap((kind) => permissions[kind]),
    ...(secrets.length > 0 ? ["secretmanager.versions.get", "secretmanager.secrets.setIamPolicy"] : []),
  ];
  return [...new Set(all)].toSorted();
}

/** Returns the role to suggest for a permission. */
function roleWith(permission: string): string {
  return Object.entries(roles).find(([start]) => permission.startsWith(start))?.[1] ?? "roles/owner";
}
