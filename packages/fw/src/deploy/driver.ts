import type { Api } from "../platform/gcp/rest/endpoints.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import type { Change, Fields } from "./fields.ts";
import type { DeployPlace } from "./place.ts";
import type { Kind, Resource } from "./resource.ts";
import type { Written } from "./terraform/written.ts";

/**
 * When a kind's resources are made: all of a stage are there before the next begins. `ground`: APIs, the database, where images are. `make`:
 * what others are granted something on. `grant`: who may do what. `release`: revisions that nobody is sent to yet. `switch`: traffic, and
 * what brings messages. What is no longer declared goes in the opposite order, at the end.
 */
export const stages = ["ground", "make", "grant", "release", "switch", "connect"] as const;

export type Stage = (typeof stages)[number];

export type { DeployCloud } from "./deploy-cloud.ts";

/** What a resource is in the cloud, and what of that is to be otherwise. */
export interface Difference {
  readonly live: Fields;
  readonly changes: readonly Change[];
}

/** How a kind of resource is read and written. */
export interface Driver {
  readonly stage: Stage | ((id: string) => Stage);
  /** The API that has it, which is enabled before; calls of one API at the same time are bounded. */
  readonly api: Api | ((id: string) => Api);
  /** The resource as it is in the cloud; undefined where there is none. */
  read(resource: Pick<Resource, "id" | "spec">, cloud: DeployCloud): Promise<Fields | undefined>;
  /** The ids of all that the application has in this environment, where that can be known; absent for kinds that are never taken away. */
  list?(cloud: DeployCloud): Promise<readonly string[]>;
  /** The kind that contains this one and is deleted with all of it. Listed only if the application has a container. */
  readonly inside?: Kind;
  create(resource: Resource, cloud: DeployCloud): Promise<void>;
  patch(resource: Resource, cloud: DeployCloud, from: Difference): Promise<void>;
  remove?(id: string, cloud: DeployCloud): Promise<void>;
  /** The live resource in the words of the spec. */
  normalize(live: Fields, resource: Pick<Resource, "id" | "spec">, cloud: DeployCloud): Fields;
  /** Fields, by their first names, that can never change. */
  readonly fixed: readonly string[];
  /** A list whose change is told as a whole: which of its items are new, and which go. */
  readonly listed?: string;
  /** What is done about a change of those: it is refused, or the resource is removed and made again. */
  readonly replaces?: "again";
  /** Whether the live resource says that it belongs to this application and environment; absent where resources cannot say so. */
  isMarked?(live: Fields, place: DeployPlace, spec: Fields): boolean;
  /** It keeps what cannot be made again: it is never taken away unasked. */
  readonly keepsData?: true | ((id: string) => boolean);
  /** What is to be done to it when a resource that it depends on is changed so, though it is as it should be now. */
  follows?(live: Fields, dep: { readonly changes: readonly Change[] }): Change | undefined;
  /** How it is written for Terraform, in the words of the provider `google`; nothing where that has no such thing. */
  terraform(resource: Resource, place: DeployPlace): readonly Written[];
  /** The title of one that is no longer declared; by default its kind and the last part of its id. */
  titleOf?(id: string): string;
  /** What a person should know before a step: that it costs, is for good, or that something is not answered meanwhile. */
  notes?(step: "create" | "update" | "replace" | "prune" | "leave", resource: Pick<Resource, "id" | "spec">): Notes;
}

export interface Notes {
  readonly costs?: string;
  readonly forGood?: string;
  readonly downtime?: string;
}
