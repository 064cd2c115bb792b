import { createHash } from "node:crypto";
import type { Destination } from "../messages.ts";

/** The common parts of an application's resource names. */
export interface Stem {
  readonly app: string;
  /** The environment: `prod`, `staging` … */
  readonly env: string;
}

interface InProject {
  readonly project: string;
}

interface InRegion {
  readonly projectNumber: string;
  readonly region: string;
}

/** Returns the name of the Cloud Run service or job that runs a unit of the application. */
export function serviceName(stem: Stem, unit: string): string {
  return fitName(`${stemOf(stem)}-${physical(unit)}`, 49);
}

/** Returns the URL that Cloud Run assigns to a service, which is known before the service exists. */
export function serviceUrl(place: Stem & InRegion, unit: string): string {
  const host = `${serviceName(place, unit)}-${place.projectNumber}`;
  return `https://${checkedName(host, 1, 63, `the host of the service ${unit}`)}.${place.region}.run.app`;
}

export function serviceAccountEmail(place: Stem & InProject, unit: string): string {
  return `${fitName(`${stemOf(place)}-${physical(unit)}`, 30, 6)}@${place.project}.iam.gserviceaccount.com`;
}

/** Returns the email of the service account that may only push messages and cron triggers to a service. */
export function pusherEmail(place: Stem & InProject, unit: string): string {
  const stem = `${stemOf(place)}-${physical(unit)}`;
  return `${withHash(stem.slice(0, 21), `push to ${stem}`)}@${place.project}.iam.gserviceaccount.com`;
}

export function bucketName(place: Stem & InProject, bucket: string): string {
  return checkedName(`${slug(place.project)}-${stemOf(place)}-${bucket}`, 3, 63, `the name of the bucket ${bucket}`);
}

/** Returns the topic name for an application's topic or a framework event; only the latter contains a dot. */
export function topicName(stem: Stem, { kind, name }: Pick<Destination, "kind" | "name">): string {
  const dotted = kind === "event" ? `.${name.replaceAll(":", ".")}` : `-${name}`;
  return checkedName(`${stemOf(stem)}${dotted}`, 3, 255, `the name of the topic ${name}`);
}

/** Returns the name of the subscription that delivers a topic's messages to a service. */
export function subscriptionName(topic: string, unit: string): string {
  return checkedName(`${topic}--${physical(unit)}`, 3, 255, `the name of the subscription of ${unit}`);
}

export function deadTopicName(stem: Stem, consumer: string): string {
  return checkedName(
    `${stemOf(stem)}-${physical(consumer)}.dead`,
    3,
    255,
    `the name of the dead letters of ${consumer}`,
  );
}

/** Returns the name of the subscription that retains dead letters, which Pub/Sub would drop otherwise. */
export function deadHoldName(stem: Stem, consumer: string): string {
  return `${deadTopicName(stem, consumer)}.hold`;
}

export function queueName(stem: Stem, queue: string): string {
  return checkedName(`${stemOf(stem)}-${queue}`, 1, 100, `the name of the queue ${queue}`);
}

/** Returns the name of the Cloud Run job for a declared job, so that code can start it without knowing its runner. */
export function jobName(stem: Stem, job: string): string {
  return fitName(`${stemOf(stem)}-${physical(job)}`, 49);
}

export function scheduleName(stem: Stem, unit: string, cron: string): string {
  return checkedName(
    `${stemOf(stem)}-${physical(unit)}-${cron.replaceAll("$", "_")}`,
    1,
    500,
    `the name of the cron ${cron}`,
  );
}

/** Returns the name of a secret, which operators create. Except in production, it starts with the environment. */
export function secretName({ env }: Stem, secret: string): string {
  return checkedName(env === "prod" ? secret : `${env}-${secret}`, 1, 255, `the name of the secret ${secret}`);
}

export function databaseName(stem: Stem): string {
  return checkedName(stemOf(stem), 4, 63, "the name of the database");
}

/** Returns the value of the metric label `namespace`. */
export function namespaceOf({ app, env }: Stem): string {
  return `${app}-${env}`;
}

/** Returns the labels that mark a resource as owned by an application and environment. */
export function labelsOf({ app, env }: Stem): Readonly<Record<string, string>> {
  return {
    "managed-by": "fw",
    "fw-app": checkedName(slug(app), 1, 63, "the label of the application"),
    "fw-env": slug(env),
  };
}

/** Returns the mark of `labelsOf` as text, for resources that have a description but no labels. */
export function markOf({ app, env }: Stem): string {
  return `fw:${slug(app)}/${slug(env)}`;
}

export function stateBucketName({ project }: InProject): string {
  return checkedName(`${slug(project)}-fw`, 3, 63, "the name of the bucket of deploys");
}

/** Returns the folder of an application and environment in the bucket with deployment state. */
export function stateFolder(stem: Stem): string {
  return `${slug(stem.app)}/${slug(stem.env)}`;
}

/**
 * Returns the name of the image for all services of an application. They share it, so that the registry stores common
 * layers once.
 */
export function imageName(place: Stem & InProject & Pick<InRegion, "region">): string {
  return `${place.region}-docker.pkg.dev/${place.project}/${imageRepository}/${stemOf(place)}`;
}

/** The repository with the images of all applications in a project. */
export const imageRepository = "fw";

function stemOf({ app, env }: Stem): string {
  return `${slug(app)}-${slug(env)}`;
}

/** Converts a name, such as an npm package's, to a valid part of a resource name. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-$/g, "");
}

/**
 * Encodes capital letters, which most resource names cannot contain, so that different units never get the same name. A
 * unit is `<package>-<variable>`; one with unusual characters gets a hash.
 */
function physical(unit: string): string {
  if (!/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/.test(unit)) return withHash(slug(unit), unit);
  return unit.replaceAll(/[A-Z]/g, (capital) => `--${capital.toLowerCase()}`);
}

/** Returns the name if its length is allowed, or else its beginning and a hash of the whole name. */
function fitName(name: string, most: number, least = 1): string {
  return name.length >= least && name.length <= most ? name : withHash(name.slice(0, most - 9), name);
}

function withHash(readable: string, whole: string): string {
  return `${readable.replace(/-+$/, "")}-${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
}

function checkedName(name: string, least: number, most: number, what: string): string {
  if (name.length >= least && name.length <= most) return name;
  throw new Error(
    `${what} is ${name} in the cloud, which has ${name.length} characters instead of ${least} to ${most}; rename it in the application`,
  );
}
