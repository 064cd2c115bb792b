import type { Check } from "./problem.ts";

/** What a deploy calls, and the role that has it: each the narrowest that Google defines. */
const permissions: Readonly<Record<string, string>> = {
  "run.services.create": "roles/run.admin",
  "run.services.setIamPolicy": "roles/run.admin",
  "iam.serviceAccounts.create": "roles/iam.serviceAccountAdmin",
  "iam.serviceAccounts.setIamPolicy": "roles/iam.serviceAccountAdmin",
  "iam.serviceAccounts.actAs": "roles/iam.serviceAccountUser",
  "resourcemanager.projects.setIamPolicy": "roles/resourcemanager.projectIamAdmin",
  "artifactregistry.repositories.create": "roles/artifactregistry.admin",
  "serviceusage.services.enable": "roles/serviceusage.serviceUsageAdmin",
  "storage.buckets.create": "roles/storage.admin",
  "monitoring.metricDescriptors.create": "roles/monitoring.editor",
  "monitoring.alertPolicies.create": "roles/monitoring.editor",
  "pubsub.topics.create": "roles/pubsub.admin",
  "cloudtasks.queues.create": "roles/cloudtasks.admin",
  "cloudscheduler.jobs.create": "roles/cloudscheduler.admin",
  "datastore.databases.create": "roles/datastore.owner",
  "datastore.indexes.create": "roles/datastore.owner",
  "datastore.entities.list": "roles/datastore.viewer",
  "firebaseauth.configs.update": "roles/firebaseauth.admin",
  "secretmanager.versions.get": "roles/secretmanager.viewer",
  "secretmanager.secrets.setIamPolicy": "roles/secretmanager.admin",
};

/** The permissions that only applications with secrets, or documents, take. */
const only: readonly (readonly [prefix: string, when: (needs: Parameters<Check>[0]) => boolean])[] = [
  ["secretmanager.", ({ secrets }) => secrets.length > 0],
  ["datastore.", ({ keepsDocuments }) => keepsDocuments],
];

/** Whether whoever deploys may do what a deploy does. */
export const checkRights: Check = async (needs, cloud) => {
  const { project } = cloud.place;
  const asked = Object.keys(permissions).filter((permission) =>
    only.every(([prefix, when]) => !permission.startsWith(prefix) || when(needs)),
  );
  const { permissions: granted = [] } = await cloud.call<{ permissions?: readonly string[] }>({
    api: "cloudresourcemanager",
    method: "POST",
    path: `/v3/projects/${project}:testIamPermissions`,
    body: { permissions: asked },
    repeatable: true,
  });
  const lacking = asked.filter((permission) => !granted.includes(permission));
  if (lacking.length === 0) return [];
  const roles = [...new Set(lacking.map((permission) => permissions[permission]))];
  const todo = [
    "ask an owner of the project for these roles:",
    ...roles.map((role) => `gcloud projects add-iam-policy-binding ${project} --member <you> --role ${role}`),
  ];
  return [{ what: `your account lacks ${lacking.join(", ")} in ${project}`, todo }];
};
