import type { DeclarationRef } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Route } from "../../model/route.ts";
import type { Schema } from "../../model/schema.ts";
import type { Placement } from "../resolution/placement.ts";
import type { Refusal } from "../schema/schema.ts";
import type { RequestFacts } from "../shape/shape.ts";
import type { BackgroundRead } from "./background.ts";
import type { QueriesRead } from "./query.ts";
import type { RawCall } from "./raw-call.ts";
import type { ConfigRead, Reading, Reference } from "./reading.ts";
import type { RouteMistake } from "./route.ts";

interface RouteSettingsRead {
  readonly signIn?: Reading<boolean>;
  readonly allow?: Reading<Reference>;
  readonly private?: Reading<boolean>;
  /** Whatever constant stands there: a rule says what it must be. */
  readonly maxAge?: Reading<unknown>;
}

export interface EndpointRead {
  readonly kind: "api" | "page";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
  /** The route, when its text is one. */
  readonly route: Route | undefined;
  readonly mistake: RouteMistake | undefined;
  readonly config: ConfigRead<RouteSettingsRead>;
  /** Set once the types are known. */
  readonly types?: EndpointTypes;
}

/** What an endpoint takes and answers, and which of it cannot be sent. */
export interface EndpointTypes {
  readonly request: RequestFacts;
  readonly requestRefusals: readonly Refusal[];
  readonly response: Schema;
  readonly responseRefusals: readonly Refusal[];
}

interface SiteSettingsRead {
  readonly build?: Reading<{ readonly command?: Reading<string>; readonly out?: Reading<string> }>;
  readonly redirects?: Reading<readonly RedirectRead[]>;
  readonly trustedHTML?: Reading<boolean>;
  readonly notFound?: Reading<string>;
}

export interface RedirectRead {
  readonly from: string;
  readonly to: string;
  /** Where the path that redirects is written. */
  readonly at: Span;
}

export interface SiteRead {
  readonly kind: "site";
  readonly declaration: DeclarationRef;
  /** The directory as it is written. */
  readonly text: Reading<string>;
  /** Relative to the application's root; `undefined` when it leads out of it or was not read. */
  readonly dir: string | undefined;
  /** The directory that `build` makes, as `dir`. */
  readonly out: string | undefined;
  readonly config: ConfigRead<SiteSettingsRead>;
}

interface ServiceSettingsRead {
  readonly domain?: Reading<string>;
  readonly profile?: Reading<"default" | "latency" | "batch">;
}

export interface ServiceRead {
  readonly kind: "service";
  readonly declaration: DeclarationRef;
  readonly config: ConfigRead<ServiceSettingsRead>;
}

interface StatusRead {
  readonly kind: "status";
  readonly declaration: DeclarationRef;
}

/** A top-level field of an entity's type. */
export interface EntityFieldRead {
  readonly name: string;
  readonly at: Span;
  readonly id: boolean;
  readonly indexed: boolean;
  readonly transient: boolean;
  /** The field holds a list. */
  readonly many: boolean;
}

/** What the type of an entity says. */
export interface EntityTypes {
  readonly fields: readonly EntityFieldRead[];
  /** Parts that a document cannot hold. */
  readonly refusals: readonly Refusal[];
  /** False where the type could not be read, or is no object; then the absence of a field says nothing. */
  readonly complete: boolean;
}

export interface EntityRead {
  readonly kind: "entity";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
  /** Set once the types are known. */
  readonly types?: EntityTypes;
}

interface AuthSettingsRead {
  readonly social?: Reading<boolean>;
  readonly password?: Reading<boolean>;
}

export interface AuthRead {
  readonly kind: "auth";
  readonly declaration: DeclarationRef;
  /** The place of the config; of what is called, where there is none. */
  readonly at: Span;
  readonly config: ConfigRead<AuthSettingsRead>;
}

export interface RoleRead {
  readonly kind: "role";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
}

/** An argument of a RequireRole. */
export interface RoleArgumentRead {
  readonly at: Span;
  readonly role: Reference;
  /** The role's name, where the declaration has a constant one. */
  readonly name: string | undefined;
}

export interface PolicyRead {
  readonly kind: "policy";
  readonly declaration: DeclarationRef;
  /** Of a RequireRole: its arguments, and the place of what is called. */
  readonly required?: { readonly at: Span; readonly roles: readonly RoleArgumentRead[] };
}

export interface SecretRead {
  readonly kind: "secret";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
}

/** A declaration written where none is read. */
export interface MisplacedRead {
  readonly kind: "misplaced";
  /** The function that was called: `API`. */
  readonly name: string;
  readonly placement: Exclude<Placement, "const">;
  readonly at: Span;
}

/** What was read of one declaration. Plain data: rules look at it and never at syntax. */
export type Read =
  | EndpointRead
  | SiteRead
  | ServiceRead
  | StatusRead
  | EntityRead
  | AuthRead
  | RoleRead
  | PolicyRead
  | SecretRead
  | BackgroundRead
  | MisplacedRead;

/** The declarations of one directory, in source order: path, then position. */
export interface PackageRead {
  readonly name: string;
  /** Relative to the application's root; "" for the root itself. */
  readonly dir: string;
  readonly reads: readonly Read[];
}

export interface AppRead {
  /** In name order. */
  readonly packages: readonly PackageRead[];
  /** False where packages are left out because they could not be read; then the absence of a declaration says nothing. */
  readonly whole: boolean;
  /** Whether a directory exists, relative to the application's root; asked anew each time. */
  readonly hasDirectory: (dir: string) => boolean;
  /** What is asked of entities, wherever it is written. */
  readonly queries: QueriesRead;
  /** Calls of handlers of other packages, wherever they are written. */
  readonly rawCalls: readonly RawCall[];
}
