import type { Change } from "../../evolution/change.ts";
import type { RecordedSchema } from "../../evolution/recorded.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import type { DeployPlace } from "../deploy-place.ts";
import type { Resource } from "../resource.ts";

/** A problem or warning, found before anything is built or written. */
export interface Problem {
  readonly what: string;
  /** Instructions, one per line. */
  readonly todo: readonly string[];
  /** The `path:line` of the declaration. */
  readonly at?: string;
  /** True if the user must fix it elsewhere; at a terminal, the deploy waits until it is fixed. */
  readonly manual?: true;
  /** True for a warning, which does not stop the deploy. */
  readonly warns?: true;
}

/** The application's requirements for a deploy, known before it is built. */
export interface DeployNeeds {
  /** Secrets of services and of webhook channels. */
  readonly secrets: readonly { readonly name: string; readonly at: string }[];
  readonly social: boolean;
  readonly indexes: readonly { readonly entity: string; readonly fields: string }[];
  readonly keepsDocuments: boolean;
  /** Returns the differences between a recorded version and this one. */
  readonly changesSince: (schema: RecordedSchema) => readonly Change[];
  /** Entities with their indexed fields and declarations. */
  readonly entities: readonly {
    readonly name: string;
    readonly indexed: readonly string[];
    readonly at: string;
  }[];
  /** Domains with the services that they point to. */
  readonly domains: readonly { readonly domain: string; readonly service: string; readonly at: string }[];
  /** True if clients other than the application's own services may call it. */
  readonly isPublic: boolean;
  /** Returns a target's resources that are known before a build, or the message about a name that the cloud rejects. */
  readonly resources: (place: DeployPlace) => readonly Resource[] | string;
}

export interface Deployer {
  /** The account's email, or `user@host` if it is unknown. */
  readonly who: string;
  /** Whether to take over resources that other tools have created. */
  readonly adopt: boolean;
  /** True to report breaking data changes as warnings instead of problems. */
  readonly acceptDataChanges?: boolean;
}

/** A check for one kind of problem. Reads only. */
export type Check = (needs: DeployNeeds, cloud: DeployCloud, who: Deployer) => Promise<readonly Problem[]>;
