import { createHash } from "node:crypto";
import type { Destination } from "../messages.ts";

/** What the names of an application's resources are made of. */
export interface Stem {
  readonly app: string;
  /** The environment: `prod`, `staging` … */
  readonly env: string;
}

interface Owned {
  readonly project: string;
}

interface Located {
  readonly projectNumber: string;
  readonly region: string;
}

/** A Cloud Run service or job, which runs one service of the application. */
export function serviceName(stem: Stem, unit: string): string {
  return fitted(`${stemOf(stem)}-${physical(unit)}`, 49);
}

/** The address that Cloud Run gives a service, known before there is one. */
export function serviceUrl(place: Stem & Located, unit: string): string {
  const host = `${serviceName(place, unit)}-${place.projectNumber}`;
  return `https://${within(host, 1, 63, `the host of the service ${unit}`)}.${place.region}.run.app`;
}

/** The identity of a service. */
export function serviceAccountEmail(place: Stem & Owned, unit: string): string {
  return `${fitted(`${stemOf(place)}-${physical(unit)}`, 30, 6)}@${place.project}.iam.gserviceaccount.com`;
}

/** The identity in whose name messages are brought to a service; it may do nothing else. */
export function pusherEmail(place: Stem & Owned, unit: string): string {
  const stem = `${stemOf(place)}-${physical(unit)}`;
  return `${hashed(stem.slice(0, 21), `push to ${stem}`)}@${place.project}.iam.gserviceaccount.com`;
}

export function bucketName(place: Stem & Owned, bucket: string): string {
  return within(`${slug(place.project)}-${stemOf(place)}-${bucket}`, 3, 63, `the name of the bucket ${bucket}`);
}

/** The topic of an application, or of what the framework tells: no topic of an application has a dot. */
export function topicName(stem: Stem, { kind, name }: Pick<Destination, "kind" | "name">): string {
  const dotted = kind === "event" ? `.${name.replaceAll(":", ".")}` : `-${name}`;
  return within(`${stemOf(stem)}${dotted}`, 3, 255, `the name of the topic ${name}`);
}

/** What brings the messages of a topic to a service. */
export function subscriptionName(topic: string, unit: string): string {
  return within(`${topic}--${physical(unit)}`, 3, 255, `the name of the subscription of ${unit}`);
}

/** Where messages go that a consumer has failed at for the last time. */
export function deadTopicName(stem: Stem, consumer: string): string {
  return within(`${stemOf(stem)}-${physical(consumer)}.dead`, 3, 255, `the name of the dead letters of ${consumer}`);
}

/** Keeps the messages of a topic of dead letters, which would be dropped without a subscription. */
export function deadHoldName(stem: Stem, consumer: string): string {
  return `${deadTopicName(stem, consumer)}.hold`;
}

export function queueName(stem: Stem, queue: string): string {
  return within(`${stemOf(stem)}-${queue}`, 1, 100, `the name of the queue ${queue}`);
}

/** A Cloud Run job, by the name by which code starts it: whoever starts it need not know who runs it. */
export function jobName(stem: Stem, job: string): string {
  return fitted(`${stemOf(stem)}-${physical(job)}`, 49);
}

/** What triggers a cron of a service. */
export function scheduleName(stem: Stem, unit: string, cron: string): string {
  return within(
    `${stemOf(stem)}-${physical(unit)}-${cron.replaceAll("$", "_")}`,
    1,
    500,
    `the name of the cron ${cron}`,
  );
}

/** A secret, which people make: its name says the environment, but for production. */
export function secretName({ env }: Stem, secret: string): string {
  return within(env === "prod" ? secret : `${env}-${secret}`, 1, 255, `the name of the secret ${secret}`);
}

export function databaseName(stem: Stem): string {
  return within(stemOf(stem), 4, 63, "the name of the database");
}

/** The value of the label `namespace` of metrics. */
export function namespaceOf({ app, env }: Stem): string {
  return `${app}-${env}`;
}

/** What resources that can carry labels say of whose they are. */
export function labelsOf({ app, env }: Stem): Readonly<Record<string, string>> {
  return {
    "managed-by": "fw",
    "fw-app": within(slug(app), 1, 63, "the label of the application"),
    "fw-env": slug(env),
  };
}

/** The same in the description of those that have no labels. */
export function markOf({ app, env }: Stem): string {
  return `fw:${slug(app)}/${slug(env)}`;
}

/** Where fw keeps what it knows of its deploys to a project. */
export function stateBucketName({ project }: Owned): string {
  return within(`${slug(project)}-fw`, 3, 63, "the name of the bucket of deploys");
}

/** The folder of an application and environment in that bucket. */
export function stateFolder(stem: Stem): string {
  return `${slug(stem.app)}/${slug(stem.env)}`;
}

/** Where the images of an application's services are pushed: under one name, so that what they share is there once. */
export function imageName(place: Stem & Owned & Pick<Located, "region">): string {
  return `${place.region}-docker.pkg.dev/${place.project}/${imageRepository}/${stemOf(place)}`;
}

/** The repository of a project's images, of all its applications. */
export const imageRepository = "fw";

function stemOf({ app, env }: Stem): string {
  return `${slug(app)}-${slug(env)}`;
}

/** The name of an npm package, or of a project, as one of resources. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-$/g, "");
}

/** A unit is `<package>-<variable>`, and most resources have no capitals: two units never come out the same. */
function physical(unit: string): string {
  if (!/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/.test(unit)) return hashed(slug(unit), unit);
  return unit.replaceAll(/[A-Z]/g, (capital) => `--${capital.toLowerCase()}`);
}

/** The name itself, or as much of it as there is room for, and a hash of all of it. */
function fitted(name: string, most: number, least = 1): string {
  return name.length >= least && name.length <= most ? name : hashed(name.slice(0, most - 9), name);
}

function hashed(readable: string, whole: string): string {
  return `${readable.replace(/-+$/, "")}-${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
}

function within(name: string, least: number, most: number, what: string): string {
  if (name.length >= least && name.length <= most) return name;
  throw new Error(`${what} is ${name} in the cloud, of ${name.length} characters; it has ${least} to ${most}`);
}
