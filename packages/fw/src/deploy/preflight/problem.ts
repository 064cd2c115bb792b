import type { DeployCloud } from "../deploy-cloud.ts";
import type { DeployPlace } from "../place.ts";
import type { Resource } from "../resource.ts";

/** Something that stands in the way of a deploy, before anything is built or written. */
export interface Problem {
  /** What is wrong. */
  readonly what: string;
  /** What to do about it; each a line. */
  readonly todo: readonly string[];
  /** `path:line` of what declares it. */
  readonly at?: string;
  /** A person has to do it elsewhere; then the deploy goes on. */
  readonly manual?: true;
  /** It is told, and the deploy goes on. */
  readonly warns?: true;
}

/** What of an application decides whether it can be deployed, known before it is built. */
export interface Needs {
  /** The secrets that services read, and that channels have their URL from. */
  readonly secrets: readonly { readonly name: string; readonly at: string }[];
  readonly social: boolean;
  /** Composite indexes with the places of their queries. */
  readonly indexes: readonly { readonly entity: string; readonly fields: string }[];
  readonly keepsDocuments: boolean;
  /** Entities with their indexed fields, and where they are declared. */
  readonly entities: readonly { readonly name: string; readonly indexed: readonly string[]; readonly at: string }[];
  /** With the service that each leads to. */
  readonly domains: readonly { readonly domain: string; readonly service: string; readonly at: string }[];
  /** Anybody may ask one of its services. */
  readonly isPublic: boolean;
  /** What it needs in a place, as far as that is known unbuilt; a text says which name does not fit there. */
  readonly resources: (place: DeployPlace) => readonly Resource[] | string;
}

/** Who deploys, and what he has asked for. */
export interface Who {
  /** The account's address, where that is known. */
  readonly who: string;
  /** What others have made may be taken over. */
  readonly adopt: boolean;
}

/** Looks for one kind of problem. Reads, and writes nothing. */
export type Check = (needs: Needs, cloud: DeployCloud, who: Who) => Promise<readonly Problem[]>;
