import type { Alert, Channel } from "./alert.ts";
import type { Auth, Authenticator, Policy } from "./auth.ts";
import type { Consumer, Cron, Destination, Singleton } from "./background.ts";
import type { Declared, Named } from "./declaration-ref.ts";
import type { CompositeIndex, Entity } from "./entity.ts";
import type { KindWith } from "./kinds.ts";
import type { RequestShape } from "./request-shape.ts";
import type { Route, RouteSettings } from "./route.ts";
import type { Pins, Profile } from "./pins.ts";
import type { ReplyShape } from "./reply-shape.ts";
import type { Schema, TypeTable } from "./schema.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";

export type { DeclarationKey, DeclarationRef } from "./declaration-ref.ts";

/** An API, Page, Mount or Socket declaration. */
export interface Endpoint extends Declared<KindWith<"family", "endpoint">> {
  readonly route: Route;
  readonly settings: RouteSettings;
  readonly request: RequestShape;
  /** What it answers with where that is no refusal. */
  readonly response: Schema;
  /** Where it makes replies, all that it answers with by status: what it returns by itself among it. */
  readonly replies?: readonly ReplyShape[];
  /** Of a socket: what comes and what is sent. */
  readonly messages?: SocketMessages;
  readonly pins?: Pins;
}

export interface SocketMessages {
  readonly received: Schema;
  readonly sent: Schema;
}

export interface SiteDeclaration extends Declared<"site"> {
  /** The site's directory relative to the application's root. */
  readonly dir: string;
  readonly build?: { readonly command: string; readonly out: string };
  readonly redirects: Readonly<Record<string, string>>;
  readonly trustedHTML: boolean;
  readonly notFound?: string;
  /** The file, relative to the site's directory, for paths that nothing else answers. */
  readonly fallback?: string;
}

export interface ServiceDeclaration extends Declared<"service"> {
  readonly domain?: string;
  /** Other origins whose pages may call its APIs; absent where none may. */
  readonly origins?: Origins;
  readonly profile: Profile;
  /** What it says of its processes besides. */
  readonly pins?: Pins;
}

export interface Origins {
  readonly allowed: "*" | readonly string[];
  /** Whether their calls may carry the session's cookie. */
  readonly credentials: boolean;
}

/** Whatever an application declares. */
export type Declaration =
  | Endpoint
  | SiteDeclaration
  | ServiceDeclaration
  | Declared<"status">
  | Entity
  | Auth
  | Authenticator
  | Policy
  | Destination
  | Consumer
  | Cron
  | Singleton
  | Channel
  | Alert
  | NameOnly<KindWith<"nameOnly">>;

/** A Bucket, a Counter and whatever else is a name for the analysis, and nothing more: each kind a type of its own. */
type NameOnly<Kind> = Kind extends KindWith<"nameOnly"> ? Named<Kind> : never;

/** A directory with at least one declaration: one service. */
export interface Package {
  /** The directory's base name; the application's name for the root directory. */
  readonly name: string;
  /** Relative to the application's root; "" for the root itself. */
  readonly dir: string;
  /** `<package>-<var>` where a Service is declared, else the package's name. */
  readonly service: string;
  /** In source order: path, then position. */
  readonly declarations: readonly Declaration[];
}

/**
 * An order for modules that import each other, in which each finds what it needs while it loads. Paths are relative
 * to the root.
 */
export interface LoadOrder {
  /** Modules to import before all others, in this order. */
  readonly first: readonly string[];
  /** Every module of an import cycle, with the modules that it loads, in the order of its imports. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
}

/** What analysis says about an application. Plain JSON, deterministic, packages in name order. */
export interface App {
  /** package.json's `name`, or the directory's base name. */
  readonly name: string;
  readonly packages: readonly Package[];
  readonly types: TypeTable;
  /** The composite indexes that the application's queries need, by entity, then fields; absent where they need none. */
  readonly indexes?: readonly CompositeIndex[];
  /** How to load modules that import each other; absent where any order works. */
  readonly loadOrder?: LoadOrder;
  /**
   * The settings of declarations that have some, by `declarationKey`; absent in an application that nobody has
   * analysed.
   */
  readonly written?: Readonly<Record<string, WrittenSettings>>;
}
