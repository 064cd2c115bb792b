import type { Api } from "../platform/gcp/rest/endpoints.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import type { Change, Fields } from "./fields.ts";
import type { DeployPlace } from "./deploy-place.ts";
import type { Kind, Resource } from "./resource.ts";
import type { TerraformBlock } from "./terraform/terraform-block.ts";

/**
 * The order of creation: a stage starts when the previous one is complete. `ground`: APIs, the database, the image
 * repository. `make`: resources that grants refer to. `grant`: most IAM policies. `release`: revisions without traffic.
 * `fill`: adds older documents to new indexes. `switch`: traffic. `connect`: deliveries. Removals come last, in reverse
 * order.
 */
export const stages = ["ground", "make", "grant", "release", "fill", "switch", "connect"] as const;

export type Stage = (typeof stages)[number];

export type { DeployCloud } from "./deploy-cloud.ts";

/** A resource's live state and the changes to make. */
export interface Difference {
  readonly live: Fields;
  readonly changes: readonly Change[];
}

/** Reads and writes one kind of resource. */
export interface Driver {
  readonly stage: Stage | ((id: string) => Stage);
  /** The API of the resource, which must be enabled. Its concurrent calls are limited. */
  readonly api: Api | ((id: string) => Api);
  /** Reads the live resource; undefined if it does not exist. */
  read(resource: Pick<Resource, "id" | "spec">, cloud: DeployCloud): Promise<Fields | undefined>;
  /** Lists the ids of the application's resources in this environment; absent for kinds that cannot be listed. */
  list?(cloud: DeployCloud): Promise<readonly string[]>;
  /**
   * The kind of the container, whose deletion also deletes this resource. Resources are listed only if the application
   * has such a container.
   */
  readonly inside?: Kind;
  create(resource: Resource, cloud: DeployCloud): Promise<void>;
  patch(resource: Resource, cloud: DeployCloud, from: Difference): Promise<void>;
  remove?(id: string, cloud: DeployCloud): Promise<void>;
  /** Converts the live resource to the form of a spec. */
  normalize(live: Fields, resource: Pick<Resource, "id" | "spec">, cloud: DeployCloud): Fields;
  /** Top-level fields that cannot be changed. */
  readonly fixed: readonly string[];
  /** A list whose changes are shown as added and removed items. */
  readonly listed?: string;
  /** `again` replaces the resource if an immutable field changes. Without it, such a change is refused. */
  readonly replaces?: "again";
  /**
   * True if the live resource is marked as the application's in this environment; absent if the kind has no labels or
   * description.
   */
  isMarked?(live: Fields, place: DeployPlace, spec: Fields): boolean;
  /** Marks resources whose deletion loses data. Only --prune-data deletes them. */
  readonly keepsData?: true | ((id: string) => boolean);
  /** Returns an update that a change of a dependency triggers, even if the resource itself is up to date. */
  follows?(live: Fields, dep: { readonly changes: readonly Change[] }): Change | undefined;
  /** Writes the resource for Terraform's `google` provider; empty if the provider does not support it. */
  terraform(resource: Resource, place: DeployPlace): readonly TerraformBlock[];
  /** Returns the title of an undeclared resource; defaults to its kind and the last part of its id. */
  titleOf?(id: string): string;
  /** Returns costs, permanent effects and downtime that the user should know before a step. `live` may be empty. */
  notes?(
    step: "create" | "update" | "replace" | "prune" | "leave",
    resource: Pick<Resource, "id" | "spec">,
    live: Fields,
  ): Notes;
}

export interface Notes {
  readonly costs?: string;
  readonly forGood?: string;
  readonly downtime?: string;
}
