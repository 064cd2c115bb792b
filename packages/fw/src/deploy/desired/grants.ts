import type { ManifestGrant, ManifestService } from "../../build/manifest.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { FrameworkUse } from "../../model/framework-uses.ts";
import { readingOperations } from "../../model/grants.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { shortName } from "../api-path.ts";
import { fieldsFrom } from "../kinds/grants.ts";
import { keyOf, type Kind, type Resource } from "../resource.ts";
import { sourcesOf, uploadTopic } from "./messages.ts";
import {
  accountId,
  databaseId,
  isDeliveredTo,
  isPublic,
  pusherOf,
  regionOf,
  serviceId,
  sharedResource,
  topicId,
  type ResourceInputs,
} from "./resource-inputs.ts";
import { agentOf } from "./project.ts";

type Use = Pick<ManifestGrant, "kind" | "name" | "operations" | "role"> | FrameworkUse;

/** A role that a member has on a resource; the resource's name includes its service. */
interface RoleGrant {
  readonly member: string;
  readonly role: string;
  readonly on: string;
  readonly condition?: Fields;
}

/**
 * Returns the policies that grant each service the least privilege that its code needs. A resource without grants has
 * an empty policy.
 */
export function grantResources(inputs: ResourceInputs, others: readonly Resource[]): readonly Resource[] {
  const { place } = inputs;
  const roleGrants = inputs.manifest.services.flatMap((service) => grantsOf(inputs, service));
  const policies = new Map<string, Resource | undefined>([[projectOf(inputs), undefined]]);
  for (const resource of others) {
    const name = governedName(resource);
    if (name !== undefined) policies.set(name, resource);
  }
  for (const { on } of roleGrants) if (!policies.has(on)) policies.set(on, undefined);
  const accounts = others.filter(({ kind }) => kind === "service-account").map(keyOf);
  return [...policies].map(([on, resource]) => {
    const bindings = roleGrants
      .filter((one) => one.on === on)
      .map(({ member, role, condition }) => ({ role, members: [member], ...(condition && { condition }) }));
    const title =
      on === projectOf(inputs)
        ? `grants on the project ${place.project}`
        : `grants on ${resource?.title ?? shortName(on)}`;
    const deps = [...accounts, ...(resource ? [keyOf(resource)] : [])];
    const policy = sharedResource("grants", on, title, { bindings: fieldsFrom(withoutRedundant(bindings)) }, deps);
    return resource?.package === undefined ? policy : { ...policy, package: resource.package };
  });
}

function grantsOf(inputs: ResourceInputs, service: ManifestService): readonly RoleGrant[] {
  const { place } = inputs;
  const email = names.serviceAccountEmail(place, service.name);
  const member = `serviceAccount:${email}`;
  const uses: readonly Use[] = [...service.grants, ...service.framework];
  const serviceGrants = [
    ...(service.measures ? [{ role: "roles/monitoring.metricWriter", on: projectOf(inputs) }] : []),
    ...service.secrets.map((name) => ({
      role: "roles/secretmanager.secretAccessor",
      on: `//secretmanager.googleapis.com/projects/${place.project}/secrets/${names.secretName(place, name)}`,
    })),
    ...uses.flatMap((use) => neededFor(inputs, email, use)),
  ];
  return [...serviceGrants.map((one) => ({ member, ...one })), ...deliveries(inputs, service, member)];
}

/** Returns the grants for delivering messages and triggers, and for publishing dead letters. */
function deliveries(inputs: ResourceInputs, service: ManifestService, member: string): readonly RoleGrant[] {
  const { place } = inputs;
  if (!isDeliveredTo(service)) return [];
  const pusher = pusherOf(inputs, service);
  const invokes = invocations(place, service, pusher.email);
  const { receives } = service;
  if (!receives) return invokes;
  const dead = policyOf("topic", topicId(place, names.deadTopicName(place, service.name)));
  const publishesDeadLetters = { member, role: "roles/pubsub.publisher", on: dead };
  if (receives.source.kind === "queue") return [...invokes, publishesDeadLetters];
  const agent = agentOf(place, "gcp-sa-pubsub");
  return [
    ...invokes,
    publishesDeadLetters,
    {
      member: agent,
      role: "roles/iam.serviceAccountOpenIdTokenCreator",
      on: policyOf("service-account", accountId(place, pusher.email)),
    },
    { member: agent, role: "roles/pubsub.publisher", on: dead },
    ...sourcesOf(inputs, receives.source).map((topic) => {
      const id = `projects/${place.project}/subscriptions/${names.subscriptionName(topic, service.name)}`;
      return { member: agent, role: "roles/pubsub.subscriber", on: policyOf("subscription", id) };
    }),
    ...uploadNotifications(inputs, receives.source.name),
  ];
}

/** Returns the grant to invoke a service; empty for a public one, whose callers Cloud Run does not check. */
function invocations(place: ResourceInputs["place"], service: ManifestService, pusher: string): readonly RoleGrant[] {
  if (isPublic(service)) return [];
  const on = policyOf("service", serviceId(place, service.name));
  return [{ member: `serviceAccount:${pusher}`, role: "roles/run.invoker", on }];
}

/** Returns the grant that lets Cloud Storage publish a bucket's uploads; empty for other sources. */
function uploadNotifications(inputs: ResourceInputs, source: string): readonly RoleGrant[] {
  const { place } = inputs;
  const bucket = /^bucket\.uploaded:(.+)$/.exec(source)?.[1];
  if (bucket === undefined) return [];
  const on = policyOf("topic", topicId(place, uploadTopic(inputs, bucket)));
  return [{ member: agentOf(place, "gs-project-accounts"), role: "roles/pubsub.publisher", on }];
}

type RoleNeed = Omit<RoleGrant, "member">;

/** Returns the roles for a use, each on the smallest resource that Google supports; empty if it needs none. */
function neededFor(inputs: ResourceInputs, email: string, use: Use): readonly RoleNeed[] {
  const { place } = inputs;
  const { kind, name } = use;
  switch (kind) {
    case "entity":
    case "lease":
      return [neededForData(inputs, use)];
    case "endpoint":
      return neededForCalls(inputs, use);
    case "topic":
    case "event": {
      const topic = topicId(place, names.topicName(place, { kind, name }));
      return [{ role: "roles/pubsub.publisher", on: policyOf("topic", topic) }];
    }
    case "queue": {
      const queue = `${regionOf(place)}/queues/${names.queueName(place, name)}`;
      return [{ role: "roles/cloudtasks.enqueuer", on: policyOf("queue", queue) }];
    }
    case "job": {
      if (!use.operations.includes("start")) return [];
      const job = `${regionOf(place)}/jobs/${names.jobName(place, name)}`;
      return [{ role: "roles/run.jobsExecutorWithOverrides", on: policyOf("job", job) }];
    }
    case "bucket":
      return neededForBucket(inputs, email, use);
    case "users": {
      const manages = "role" in use && use.role === "admin";
      return [{ role: manages ? "roles/firebaseauth.admin" : "roles/firebaseauth.viewer", on: projectOf(inputs) }];
    }
    // `grantsOf` grants `service.secrets`; `service.framework` lists the uses of the documents of limits and feeds.
    case "secret":
    case "limit":
    case "feed":
      return [];
    default:
      return assertNever(kind);
  }
}

function neededForData(inputs: ResourceInputs, { kind, operations }: Use): RoleNeed {
  const database = databaseId(inputs.place);
  const expression = `resource.name == "${database}" || resource.name.startsWith("${database}/")`;
  const reads = operations.every((operation) => readingOperations.has(operation));
  const role = kind === "entity" && reads ? "roles/datastore.viewer" : "roles/datastore.user";
  return { role, on: projectOf(inputs), condition: { title: "one database", expression } };
}

/** Returns the role for calling another service; empty for a public one, whose callers Cloud Run does not check. */
function neededForCalls({ place, manifest }: ResourceInputs, { name }: Use): readonly RoleNeed[] {
  const [unit = ""] = name.split(" ");
  const callee = manifest.services.find((service) => service.name === unit);
  if (callee && isPublic(callee)) return [];
  return [{ role: "roles/run.invoker", on: policyOf("service", serviceId(place, unit)) }];
}

function neededForBucket({ place }: ResourceInputs, email: string, { name, operations }: Use): readonly RoleNeed[] {
  const reads = operations.every((operation) => readingOperations.has(operation) || operation === "signedGet");
  const role = reads ? "roles/storage.objectViewer" : "roles/storage.objectUser";
  const bucket = { role, on: policyOf("bucket", names.bucketName(place, name)) };
  if (!operations.some((operation) => operation.startsWith("signed"))) return [bucket];
  const self = policyOf("service-account", accountId(place, email));
  return [bucket, { role: "roles/iam.serviceAccountTokenCreator", on: self }];
}

/** The narrower role that each role includes, and thus makes redundant. */
const covers: Readonly<Record<string, string>> = {
  "roles/datastore.user": "roles/datastore.viewer",
  "roles/firebaseauth.admin": "roles/firebaseauth.viewer",
  "roles/storage.objectUser": "roles/storage.objectViewer",
};

function withoutRedundant<One extends { readonly role: string; readonly members: readonly string[] }>(
  all: readonly One[],
): readonly One[] {
  const has = new Set(all.map(({ role, members }) => `${role} ${members[0]}`));
  const wider = Object.entries(covers);
  return all.filter(
    ({ role, members }) => !wider.some(([wide, narrow]) => narrow === role && has.has(`${wide} ${members[0]}`)),
  );
}

/** The kinds with an IAM policy, and the service in the policy's resource name. */
const policyServices: { readonly [Each in Kind]?: string } = {
  bucket: "storage",
  job: "run",
  queue: "cloudtasks",
  service: "run",
  "service-account": "iam",
  subscription: "pubsub",
  topic: "pubsub",
};

/** Returns the resource's name in grants. */
function policyOf(kind: Kind, id: string): string {
  return `//${policyServices[kind]}.googleapis.com/${kind === "bucket" ? `projects/_/buckets/${id}` : id}`;
}

/** Like `policyOf`; undefined for resources without a policy written by deploys. */
function governedName({ kind, id, owns }: Resource): string | undefined {
  const isWritten = policyServices[kind] !== undefined && owns === "all" && !id.endsWith(".hold");
  return isWritten ? policyOf(kind, id) : undefined;
}

function projectOf({ place }: ResourceInputs): string {
  return `//cloudresourcemanager.googleapis.com/projects/${place.project}`;
}
