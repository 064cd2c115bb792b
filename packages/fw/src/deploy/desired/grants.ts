import type { ManifestGrant, ManifestService } from "../../build/manifest.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { FrameworkUse } from "../../model/framework-uses.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { shortName } from "../api-path.ts";
import { fieldsFrom } from "../kinds/grants.ts";
import { keyOf, type Resource } from "../resource.ts";
import { sourcesOf, uploadTopic } from "./messages.ts";
import {
  accountId,
  databaseId,
  isDeliveredTo,
  isPublic,
  pusherOf,
  regionOf,
  serviceId,
  shared,
  topicId,
  type Declared,
} from "./parts.ts";
import { agentOf } from "./project.ts";

type Use = Pick<ManifestGrant, "kind" | "name" | "operations" | "role"> | FrameworkUse;

/** A role that a member has on a resource, which is named with its service. */
interface Granted {
  readonly member: string;
  readonly role: string;
  readonly on: string;
  readonly condition?: Fields;
}

const reading: ReadonlySet<string> = new Set(["count", "exists", "find", "get", "getMany", "list", "query"]);

/** Who may do what: nothing that the code does not do. Resources that nobody has a grant on have a policy without any. */
export function grantResources(declared: Declared, others: readonly Resource[]): readonly Resource[] {
  const { place } = declared;
  const granted = declared.manifest.services.flatMap((service) => grantsOf(declared, service));
  const governed = new Map<string, Resource | undefined>([[projectOf(declared), undefined]]);
  for (const resource of others) {
    const name = governedName(resource);
    if (name !== undefined) governed.set(name, resource);
  }
  for (const { on } of granted) if (!governed.has(on)) governed.set(on, undefined);
  const accounts = others.filter(({ kind }) => kind === "service-account").map(keyOf);
  return [...governed].map(([on, resource]) => {
    const own = granted
      .filter((one) => one.on === on)
      .map(({ member, role, condition }) => ({ role, members: [member], ...(condition && { condition }) }));
    const title =
      on === projectOf(declared)
        ? `grants on the project ${place.project}`
        : `grants on ${resource?.title ?? shortName(on)}`;
    return shared("grants", on, title, { bindings: fieldsFrom(leastOf(own)) }, [
      ...accounts,
      ...(resource ? [keyOf(resource)] : []),
    ]);
  });
}

/** What each service, and whoever brings it something, is granted. */
function grantsOf(declared: Declared, service: ManifestService): readonly Granted[] {
  const { place } = declared;
  const email = names.serviceAccountEmail(place, service.name);
  const member = `serviceAccount:${email}`;
  const uses: readonly Use[] = [...service.grants, ...service.framework];
  const own = [
    ...(service.measures ? [{ role: "roles/monitoring.metricWriter", on: projectOf(declared) }] : []),
    ...service.secrets.map((name) => ({ role: "roles/secretmanager.secretAccessor", on: secretOf(declared, name) })),
    ...uses.flatMap((use) => neededFor(declared, email, use)),
  ];
  return [...own.map((one) => ({ member, ...one })), ...deliveries(declared, service, member)];
}

/** What it takes that messages and triggers come, and that those that fail are kept. */
function deliveries(declared: Declared, service: ManifestService, member: string): readonly Granted[] {
  const { place } = declared;
  if (!isDeliveredTo(service)) return [];
  const pusher = pusherOf(declared, service);
  // Cloud Run asks nobody who triggers a public service: the service itself does.
  const invokes = isPublic(service)
    ? []
    : [{ member: `serviceAccount:${pusher.email}`, role: "roles/run.invoker", on: runOf(declared, service.name) }];
  const { receives } = service;
  if (!receives) return invokes;
  const dead = topicOf(declared, names.deadTopicName(place, service.name));
  const parks = { member, role: "roles/pubsub.publisher", on: dead };
  if (receives.source.kind === "queue") return [...invokes, parks];
  const agent = agentOf(place, "gcp-sa-pubsub");
  const bucket = /^bucket\.uploaded:(.+)$/.exec(receives.source.name)?.[1];
  return [
    ...invokes,
    parks,
    { member: agent, role: "roles/iam.serviceAccountOpenIdTokenCreator", on: iamOf(declared, pusher.email) },
    { member: agent, role: "roles/pubsub.publisher", on: dead },
    ...subscriptionsOf(declared, service).map((on) => ({ member: agent, role: "roles/pubsub.subscriber", on })),
    ...(bucket === undefined
      ? []
      : [
          {
            member: agentOf(place, "gs-project-accounts"),
            role: "roles/pubsub.publisher",
            on: topicOf(declared, uploadTopic(declared, bucket)),
          },
        ]),
  ];
}

function subscriptionsOf(declared: Declared, service: ManifestService): readonly string[] {
  const { place } = declared;
  const { receives } = service;
  if (!receives) return [];
  return sourcesOf(declared, receives.source).map(
    (topic) =>
      `//pubsub.googleapis.com/projects/${place.project}/subscriptions/${names.subscriptionName(topic, service.name)}`,
  );
}

/** The role that a use takes, on the smallest resource that Google grants it on. */
function neededFor(declared: Declared, email: string, use: Use): readonly Omit<Granted, "member">[] {
  const { place } = declared;
  const { kind, name, operations } = use;
  const reads = operations.every((operation) => reading.has(operation));
  switch (kind) {
    case "entity":
    case "lease": {
      const database = databaseId(place);
      const expression = `resource.name == "${database}" || resource.name.startsWith("${database}/")`;
      const role = kind === "entity" && reads ? "roles/datastore.viewer" : "roles/datastore.user";
      return [{ role, on: projectOf(declared), condition: { title: "one database", expression } }];
    }
    case "endpoint": {
      const [unit = ""] = name.split(" ");
      const called = declared.manifest.services.find((service) => service.name === unit);
      // Cloud Run asks nobody who calls a public service: the service itself does.
      return called && isPublic(called) ? [] : [{ role: "roles/run.invoker", on: runOf(declared, unit) }];
    }
    case "topic":
    case "event":
      return [{ role: "roles/pubsub.publisher", on: topicOf(declared, names.topicName(place, { kind, name })) }];
    case "queue": {
      const on = `//cloudtasks.googleapis.com/${regionOf(place)}/queues/${names.queueName(place, name)}`;
      return [{ role: "roles/cloudtasks.enqueuer", on }];
    }
    case "job": {
      const on = `//run.googleapis.com/${regionOf(place)}/jobs/${names.jobName(place, name)}`;
      return [{ role: "roles/run.jobsExecutorWithOverrides", on }];
    }
    case "bucket": {
      const on = `//storage.googleapis.com/projects/_/buckets/${names.bucketName(place, name)}`;
      const signs = operations.some((operation) => operation.startsWith("signed"));
      const reads = operations.every((operation) => reading.has(operation) || operation === "signedGet");
      const self = { role: "roles/iam.serviceAccountTokenCreator", on: iamOf(declared, email) };
      return [
        { role: reads ? "roles/storage.objectViewer" : "roles/storage.objectUser", on },
        ...(signs ? [self] : []),
      ];
    }
    case "users": {
      const manages = "role" in use && use.role === "admin";
      return [{ role: manages ? "roles/firebaseauth.admin" : "roles/firebaseauth.viewer", on: projectOf(declared) }];
    }
    // What a service reads is granted with its environment.
    case "secret":
      return [];
    default:
      return assertNever(kind);
  }
}

/** Whoever may write need not be told that he may read. */
const covers: Readonly<Record<string, string>> = {
  "roles/datastore.user": "roles/datastore.viewer",
  "roles/firebaseauth.admin": "roles/firebaseauth.viewer",
  "roles/storage.objectUser": "roles/storage.objectViewer",
};

function leastOf<One extends { readonly role: string; readonly members: readonly string[] }>(
  all: readonly One[],
): readonly One[] {
  const has = new Set(all.map(({ role, members }) => `${role} ${members[0]}`));
  const wider = Object.entries(covers);
  return all.filter(
    ({ role, members }) => !wider.some(([wide, narrow]) => narrow === role && has.has(`${wide} ${members[0]}`)),
  );
}

/** What a resource is called in grants; undefined for those that have no policy of their own, or none that deploys write. */
function governedName({ kind, id }: Resource): string | undefined {
  switch (kind) {
    case "topic":
    case "subscription":
      return id.endsWith(".hold") ? undefined : `//pubsub.googleapis.com/${id}`;
    case "queue":
      return `//cloudtasks.googleapis.com/${id}`;
    case "service":
    case "job":
      return `//run.googleapis.com/${id}`;
    case "service-account":
      return `//iam.googleapis.com/${id}`;
    case "bucket":
      return id.endsWith("-fw") ? undefined : `//storage.googleapis.com/projects/_/buckets/${id}`;
    default:
      return undefined;
  }
}

function projectOf({ place }: Declared): string {
  return `//cloudresourcemanager.googleapis.com/projects/${place.project}`;
}

function topicOf({ place }: Declared, topic: string): string {
  return `//pubsub.googleapis.com/${topicId(place, topic)}`;
}

function runOf({ place }: Declared, unit: string): string {
  return `//run.googleapis.com/${serviceId(place, unit)}`;
}

function iamOf({ place }: Declared, email: string): string {
  return `//iam.googleapis.com/${accountId(place, email)}`;
}

function secretOf({ place }: Declared, name: string): string {
  return `//secretmanager.googleapis.com/projects/${place.project}/secrets/${names.secretName(place, name)}`;
}
