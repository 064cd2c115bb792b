/** The permissions of Google's roles that the fake checks. */
const roles = {
  "roles/run.invoker": ["run.routes.invoke", "run.jobs.run"],
  "roles/run.jobsExecutor": ["run.jobs.run"],
  "roles/run.jobsExecutorWithOverrides": ["run.jobs.run", "run.jobs.runWithOverrides"],
  "roles/run.admin": ["run.*"],
  "roles/run.viewer": ["run.*.get", "run.*.list", "run.*.getIamPolicy"],
  "roles/artifactregistry.reader": ["artifactregistry.repositories.downloadArtifacts"],
  "roles/artifactregistry.writer": [
    "artifactregistry.repositories.downloadArtifacts",
    "artifactregistry.repositories.uploadArtifacts",
  ],
  "roles/artifactregistry.admin": ["artifactregistry.*"],
  "roles/pubsub.publisher": ["pubsub.topics.publish"],
  "roles/pubsub.subscriber": ["pubsub.subscriptions.consume", "pubsub.topics.attachSubscription"],
  "roles/pubsub.viewer": ["pubsub.*.get", "pubsub.*.list"],
  "roles/pubsub.editor": [
    "pubsub.topics.publish",
    "pubsub.subscriptions.consume",
    "pubsub.topics.attachSubscription",
    "pubsub.*.get",
    "pubsub.*.list",
    "pubsub.*.create",
    "pubsub.*.update",
    "pubsub.*.delete",
    "resourcemanager.projects.get",
  ],
  "roles/pubsub.admin": ["pubsub.*"],
  "roles/cloudtasks.enqueuer": ["cloudtasks.tasks.create"],
  "roles/cloudtasks.viewer": ["cloudtasks.*.get", "cloudtasks.*.list"],
  "roles/cloudtasks.taskRunner": ["cloudtasks.tasks.run"],
  "roles/cloudtasks.admin": ["cloudtasks.*"],
  "roles/cloudscheduler.admin": ["cloudscheduler.*"],
  "roles/cloudscheduler.jobRunner": ["cloudscheduler.jobs.run", "resourcemanager.projects.get"],
  "roles/storage.objectViewer": ["storage.objects.get", "storage.objects.list"],
  "roles/storage.objectCreator": ["storage.objects.create"],
  "roles/storage.objectUser": [
    "storage.objects.get",
    "storage.objects.list",
    "storage.objects.create",
    "storage.objects.update",
    "storage.objects.delete",
  ],
  "roles/storage.objectAdmin": ["storage.objects.*"],
  "roles/storage.admin": ["storage.*"],
  "roles/datastore.viewer": ["datastore.entities.get", "datastore.entities.list", "datastore.databases.get"],
  "roles/datastore.user": ["datastore.entities.*", "datastore.databases.get"],
  "roles/datastore.owner": ["datastore.*"],
  "roles/secretmanager.secretAccessor": ["secretmanager.versions.access"],
  "roles/secretmanager.viewer": ["secretmanager.*.get", "secretmanager.*.list"],
  "roles/secretmanager.admin": ["secretmanager.*"],
  "roles/monitoring.metricWriter": [
    "monitoring.timeSeries.create",
    "monitoring.metricDescriptors.create",
    "monitoring.metricDescriptors.get",
    "monitoring.metricDescriptors.list",
  ],
  "roles/monitoring.viewer": ["monitoring.*.get", "monitoring.*.list"],
  "roles/monitoring.editor": ["monitoring.*"],
  "roles/logging.logWriter": ["logging.logEntries.create"],
  "roles/logging.viewer": ["logging.logEntries.list", "resourcemanager.projects.get"],
  "roles/firebaseauth.viewer": ["firebaseauth.users.get", "firebaseauth.configs.get"],
  "roles/firebaseauth.admin": ["firebaseauth.*", "resourcemanager.projects.get"],
  "roles/browser": ["resourcemanager.projects.get"],
  "roles/iam.serviceAccountTokenCreator": [
    "iam.serviceAccounts.getAccessToken",
    "iam.serviceAccounts.getOpenIdToken",
    "iam.serviceAccounts.signBlob",
    "iam.serviceAccounts.signJwt",
  ],
  "roles/iam.serviceAccountOpenIdTokenCreator": ["iam.serviceAccounts.getOpenIdToken"],
  "roles/iam.serviceAccountUser": ["iam.serviceAccounts.actAs", "iam.serviceAccounts.get", "iam.serviceAccounts.list"],
  "roles/iam.serviceAccountAdmin": [
    "iam.serviceAccounts.create",
    "iam.serviceAccounts.delete",
    "iam.serviceAccounts.get",
    "iam.serviceAccounts.list",
    "iam.serviceAccounts.getIamPolicy",
    "iam.serviceAccounts.setIamPolicy",
  ],
  "roles/resourcemanager.projectIamAdmin": [
    "resourcemanager.projects.get",
    "resourcemanager.projects.getIamPolicy",
    "resourcemanager.projects.setIamPolicy",
  ],
  "roles/serviceusage.serviceUsageAdmin": ["serviceusage.*"],
  "roles/viewer": ["*.get", "*.list", "*.getIamPolicy"],
  "roles/editor": ["*.get", "*.list", "*.getIamPolicy", "*.create", "*.update", "*.delete"],
  "roles/owner": ["*"],
} as const;

export type Role = keyof typeof roles;

export function isRole(role: string): role is Role {
  return Object.hasOwn(roles, role);
}

/** True if a role includes a permission; `*` in a role matches any name. */
export function allows(role: Role, permission: string): boolean {
  return roles[role].some((pattern) => pattern === permission || expression(pattern).test(permission));
}

function expression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
}
