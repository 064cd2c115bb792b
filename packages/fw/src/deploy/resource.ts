import type { Fields } from "./fields.ts";

/** The kinds of resources. Each has a driver in `kinds/`. */
export type Kind =
  | "alert"
  | "api"
  | "bucket"
  | "channel"
  | "dashboard"
  | "database"
  | "domain"
  | "field-indexes"
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

/** The desired state of a resource in the project. */
export interface Resource {
  readonly kind: Kind;
  /** Its name in the cloud, unique within its kind: `projects/p/topics/t`. */
  readonly id: string;
  /** The declared fields, in the format of the kind's API. Other fields are not changed. */
  readonly spec: Fields;
  /** Keys of the resources that must exist first. */
  readonly deps: readonly string[];
  /**
   * `all` if it belongs to the application in its environment; `part` if it is shared and the application owns only
   * `spec`.
   */
  readonly owns: "all" | "part";
  /** A short description: `topic orders`. */
  readonly title: string;
  /** The resource's package; absent for a resource of the whole application or project. */
  readonly package?: string;
}

export function keyOf({ kind, id }: Pick<Resource, "kind" | "id">): string {
  return `${kind} ${id}`;
}
