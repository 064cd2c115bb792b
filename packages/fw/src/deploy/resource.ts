import type { Fields } from "./fields.ts";

/** The kinds of resources, each with a driver in `kinds/`. */
export type Kind =
  | "alert"
  | "api"
  | "bucket"
  | "channel"
  | "database"
  | "domain"
  | "grants"
  | "image"
  | "image-repository"
  | "index"
  | "job"
  | "metric"
  | "notification"
  | "queue"
  | "schedule"
  | "service"
  | "service-account"
  | "sign-in"
  | "subscription"
  | "time-to-live"
  | "topic"
  | "traffic";

/** Something of the project that an application needs, as it should be. */
export interface Resource {
  readonly kind: Kind;
  /** Its name in the cloud, one of its kind: `projects/p/topics/t`. */
  readonly id: string;
  /** The fields that are declared, as the kind's API takes them. Those that are not named are left as they are. */
  readonly spec: Fields;
  /** Keys of the resources that have to be there before it. */
  readonly deps: readonly string[];
  /** All of it belongs to the application in its environment, or it shares the resource with others and owns no more than its spec says. */
  readonly owns: "all" | "part";
  /** What it is for, in a few words: `topic orders`. */
  readonly title: string;
  /** The package it belongs to; absent for resources of the whole application or project. */
  readonly package?: string;
}

/** What tells a resource from all others. */
export function keyOf({ kind, id }: Pick<Resource, "kind" | "id">): string {
  return `${kind} ${id}`;
}
