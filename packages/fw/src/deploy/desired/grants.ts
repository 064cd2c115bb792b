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

/** Who may do what: nothing that the code does not do. Resources that nobody has a grant on have a policy without any. */
export function grantResources(declared: Declared, others: readonly Resource[]): readonly Resource[] {
  const { place } = declared;
  const granted = declared.manifest.services.flatMap((service) => grantsOf(declared, service));
  const policies = new Map<string, Resource | undefined>([[projectOf(declared), undefined]]);
  for (const resource of others) {
    const name = governedName(resource);
    if (name !== undefined) policies.set(name, resource);
  }
  for (const { on } of granted) if (!policies.has(on)) policies.set(on, undefined);
  const accounts = others.filter(({ kind }) => kind === "service-account").map(keyOf);
  return [...policies].map(([on, resource]) => {
    const own = granted
      .filter((one) => one.on === on)
      .map(({ member, role, condition }) => ({ role, members: [member], ...(condition && { condition }) }));
    const title =
      on === projectOf(declared)
        ? `grants on the project ${place.project}`
        : `grants on ${resource?.title ?? shortName(on)}`;
    const deps = [...accounts, ...(resource ? [keyOf(resource)] : [])];
    const policy = shared("grants", on, title, { bindings: fieldsFrom(leastOf(own)) }, deps);
    return resource?.package === undefined ? policy : { ...policy, package: resource.package };
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
    ...service.secrets.map((name) => ({
      role: "roles/secretmanager.secretAccessor",
      on: `//secretmanager.googleapis.com/projects/${place.project}/secrets/${names.secretName(place, name)}`,
    })),
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
    : [
        {
          member: `serviceAccount:${pusher.email}`,
          role: "roles/run.invoker",
          on: policyOf("service", serviceId(place, service.name)),
        },
      ];
  const { receives } = service;
  if (!receives) return invokes;
  const dead = policyOf("topic", topicId(place, names.deadTopicName(place, service.name)));
  const parks = { member, role: "roles/pubsub.publisher", on: dead };
  if (receives.source.kind === "queue") return [...invokes, parks];
  const agent = agentOf(place, "gcp-sa-pubsub");
  const bucket = /^bucket\.uploaded:(.+)$/.exec(receives.source.name)?.[1];
  return [
    ...invokes,
    parks,
    {
      member: agent,
      role: "roles/iam.serviceAccountOpenIdTokenCreator",
      on: policyOf("service-account", accountId(place, pusher.email)),
    },
    { member: agent, role: "roles/pubsub.publisher", on: dead },
    ...sourcesOf(declared, receives.source).map((topic) => {
      const id = `projects/${place.project}/subscriptions/${names.subscriptionName(topic, service.name)}`;
      return { member: agent, role: "roles/pubsub.subscriber", on: policyOf("subscription", id) };
    }),
    ...(bucket === undefined
      ? []
      : [
          {
            member: agentOf(place, "gs-project-accounts"),
            role: "roles/pubsub.publisher",
            on: policyOf("topic", topicId(place, uploadTopic(declared, bucket))),
          },
        ]),
  ];
}

/** The role that a use takes, on the smallest resource that Google grants it on. */
function neededFor(declared: Declared, email: string, use: Use): readonly Omit<Granted, "member">[] {
  const { place } = declared;
  const { kind, name, operations } = use;
  const reads = operations.every((operation) => readingOperations.has(operation));
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
      return called && isPublic(called)
        ? []
        : [{ role: "roles/run.invoker", on: policyOf("service", serviceId(place, unit)) }];
    }
    case "topic":
    case "event":
      return [
        {
          role: "roles/pubsub.publisher",
          on: policyOf("topic", topicId(place, names.topicName(place, { kind, name }))),
        },
      ];
    case "queue": {
      const on = policyOf("queue", `${regionOf(place)}/queues/${names.queueName(place, name)}`);
      return [{ role: "roles/cloudtasks.enqueuer", on }];
    }
    case "job": {
      const on = policyOf("job", `${regionOf(place)}/jobs/${names.jobName(place, name)}`);
      return [{ role: "roles/run.jobsExecutorWithOverrides", on }];
    }
    case "bucket": {
      const on = policyOf("bucket", names.bucketName(place, name));
      const signs = operations.some((operation) => operation.startsWith("signed"));
      const reads = operations.every((operation) => readingOperations.has(operation) || operation === "signedGet");
      const self = {
        role: "roles/iam.serviceAccountTokenCreator",
        on: policyOf("service-account", accountId(place, email)),
      };
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

/** The kinds that have policies, with the services by which policies name them. */
const governed: { readonly [Each in Kind]?: string } = {
  bucket: "storage",
  job: "run",
  queue: "cloudtasks",
  service: "run",
  "service-account": "iam",
  subscription: "pubsub",
  topic: "pubsub",
};

/** What a resource is called in grants. */
function policyOf(kind: Kind, id: string): string {
  return `//${governed[kind]}.googleapis.com/${kind === "bucket" ? `projects/_/buckets/${id}` : id}`;
}

/** The same; undefined for those that have no policy of their own, or none that deploys write. */
function governedName({ kind, id, owns }: Resource): string | undefined {
  const isWritten = governed[kind] !== undefined && owns === "all" && !id.endsWith(".hold");
  return isWritten ? policyOf(kind, id) : undefined;
}

function projectOf({ place }: Declared): string {
  return `//cloudresourcemanager.googleapis.com/projects/${place.project}`;
}
