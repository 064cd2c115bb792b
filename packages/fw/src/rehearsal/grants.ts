import type { ManifestGrant, ManifestService } from "../build/manifest.ts";
import * as names from "../platform/gcp/names.ts";
import type { GrantCondition } from "./cloud.ts";
import { accountResource, isPublic, type Deployed } from "./deployed.ts";

type Use = Pick<ManifestGrant, "kind" | "name" | "operations" | "role"> | ManifestService["framework"][number];

/** A role that an account is granted on a resource; without one on the project. */
interface Granted {
  readonly role: string;
  readonly on?: string;
  readonly condition?: GrantCondition;
}

/** Lets the account of a service do what the manifest says that it does, and nothing else. */
export function grantUses(deployed: Deployed, service: ManifestService): void {
  const { cloud, place } = deployed;
  const account = names.serviceAccountEmail(place, service.name);
  const uses: readonly Use[] = [...service.grants, ...service.framework];
  const own: Granted[] = service.measures ? [{ role: "roles/monitoring.metricWriter" }] : [];
  const isPushed = service.receives !== undefined && service.receives.source.kind !== "job";
  if (isPushed) {
    own.push({ role: "roles/pubsub.publisher", on: topicResource(deployed, names.deadTopicName(place, service.name)) });
  }
  // Cloud Run asks nobody who triggers a public service: the service itself does.
  if ((isPushed || service.crons.length > 0) && !isPublic(service)) {
    cloud.grant(
      `serviceAccount:${names.pusherEmail(place, service.name)}`,
      "roles/run.invoker",
      serviceResource(deployed, service.name),
    );
  }
  const granted = [...own, ...uses.flatMap((use) => grantedFor(deployed, account, use))];
  const distinct = new Map(granted.map((one) => [JSON.stringify(one), one]));
  for (const { role, on, condition } of distinct.values())
    cloud.grant(`serviceAccount:${account}`, role, on, condition);
}

function grantedFor(deployed: Deployed, account: string, { kind, name, operations, ...use }: Use): readonly Granted[] {
  const { place } = deployed;
  const reads = operations.every((operation) =>
    ["get", "find", "query", "count", "exists", "list", "getMany"].includes(operation),
  );
  if (kind === "entity" || kind === "lease") {
    const database = `projects/${place.project}/databases/${names.databaseName(place)}`;
    const condition = {
      title: "one database",
      expression: `resource.name == "${database}" || resource.name.startsWith("${database}/")`,
    };
    return [{ role: kind === "entity" && reads ? "roles/datastore.viewer" : "roles/datastore.user", condition }];
  }
  if (kind === "endpoint")
    return [{ role: "roles/run.invoker", on: serviceResource(deployed, name.split(" ")[0] ?? "") }];
  if (kind === "topic" || kind === "event") {
    return [{ role: "roles/pubsub.publisher", on: topicResource(deployed, names.topicName(place, { kind, name })) }];
  }
  if (kind === "queue") {
    const queue = `projects/${place.project}/locations/${place.region}/queues/${names.queueName(place, name)}`;
    return [{ role: "roles/cloudtasks.enqueuer", on: `//cloudtasks.googleapis.com/${queue}` }];
  }
  if (kind === "job") {
    const job = `projects/${place.project}/locations/${place.region}/jobs/${names.jobName(place, name)}`;
    return [{ role: "roles/run.jobsExecutorWithOverrides", on: `//run.googleapis.com/${job}` }];
  }
  if (kind === "bucket") {
    const on = `//storage.googleapis.com/projects/_/buckets/${names.bucketName(place, name)}`;
    const signs = operations.some((operation) => operation.startsWith("signed"));
    const self = { role: "roles/iam.serviceAccountTokenCreator", on: accountResource(place, account) };
    return [{ role: reads ? "roles/storage.objectViewer" : "roles/storage.objectUser", on }, ...(signs ? [self] : [])];
  }
  const manages = "role" in use && use.role === "admin";
  return [{ role: manages ? "roles/firebaseauth.admin" : "roles/firebaseauth.viewer" }];
}

function serviceResource({ cloud, place }: Deployed, service: string): string {
  return cloud.cloud.services.resource(names.serviceName(place, service));
}

function topicResource({ place }: Deployed, topic: string): string {
  return `//pubsub.googleapis.com/projects/${place.project}/topics/${topic}`;
}
