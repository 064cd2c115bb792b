import type { Alert, Channel } from "./alert.ts";
import type { Auth, Authenticator, Policy } from "./auth.ts";
import type { Bucket } from "./bucket.ts";
import type { Consumer, Cron, Destination, Singleton } from "./background.ts";
import type { DeclarationBase, DeclarationKey, NamedDeclaration } from "./declaration-ref.ts";
import type { CompositeIndex, CountedField, Entity } from "./entity.ts";
import type { ErrorShape } from "./error-shape.ts";
import type { Feed } from "./feed.ts";
import type { Mail } from "./mail.ts";
import type { KindWith } from "./kinds.ts";
import type { Limit } from "./limit.ts";
import type { McpFacts } from "./mcp.ts";
import type { RequestShape } from "./request-shape.ts";
import type { Route, RouteSettings } from "./route.ts";
import type { Pins, Profile } from "./pins.ts";
import type { ReplyShape } from "./reply-shape.ts";
import type { Schema, TypeTable } from "./schema.ts";
import type { Tenant } from "./tenant.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";

export type { DeclarationKey, DeclarationRef } from "./declaration-ref.ts";

/** An API, Page, Mount, MCP or Socket declaration. */
export interface Endpoint extends DeclarationBase<KindWith<"family", "endpoint">> {
  readonly route: Route;
  readonly settings: RouteSettings;
  readonly request: RequestShape;
  /** The type of a successful response. */
  readonly response: Schema;
  /** The endpoint's replies by status, including its plain result; absent if it returns no replies. */
  readonly replies?: readonly ReplyShape[];
  /** The messages of a socket, in both directions. */
  readonly messages?: SocketMessages;
  /** The APIs that an MCP server offers as tools, in source order. */
  readonly tools?: readonly DeclarationKey[];
  readonly pins?: Pins;
}

export interface SocketMessages {
  readonly received: Schema;
  readonly sent: Schema;
}

export interface SiteDeclaration extends DeclarationBase<"site"> {
  /** The language of pages for users whose preferred languages the site does not offer. */
  readonly language?: string;
  /** The site's directory relative to the application's root. */
  readonly dir: string;
  readonly build?: { readonly command: string; readonly out: string };
  readonly redirects: Readonly<Record<string, string>>;
  readonly trustedHTML: boolean;
  readonly notFound?: string;
  /** The file to serve for paths that nothing else matches, relative to the site's directory. */
  readonly fallback?: string;
}

export interface ServiceDeclaration extends DeclarationBase<"service"> {
  readonly domain?: string;
  /** Other origins whose pages may use its public APIs, mounts and sockets; absent if there are none. */
  readonly origins?: Origins;
  readonly profile: Profile;
  /** The scaling settings of its processes. */
  readonly pins?: Pins;
}

export interface Origins {
  readonly allowed: "*" | readonly string[];
  /** True if calls from these origins may carry the session cookie. */
  readonly credentials: boolean;
}

export type Declaration =
  | Endpoint
  | SiteDeclaration
  | ServiceDeclaration
  | DeclarationBase<"status">
  | ErrorShape
  | Entity
  | Auth
  | Authenticator
  | Policy
  | Tenant
  | Destination
  | Consumer
  | Cron
  | Singleton
  | Bucket
  | Limit
  | Feed
  | Mail
  | Channel
  | Alert
  | NameOnly<KindWith<"nameOnly">>;

/** A declaration whose name is all that the analysis reads, such as a Secret or Counter. */
type NameOnly<Kind> = Kind extends KindWith<"nameOnly"> ? NamedDeclaration<Kind> : never;

/** A directory with at least one declaration. */
export interface Package {
  /** The directory's base name; the application's name for the root directory. */
  readonly name: string;
  /** Relative to the application's root; "" for the root itself. */
  readonly dir: string;
  /** The name of its app service: `<package>-<var>` if it declares a Service, otherwise the package's name. */
  readonly service: string;
  /** In source order: path, then position. */
  readonly declarations: readonly Declaration[];
}

/**
 * A load order for modules in import cycles that initializes each module's imports before they are used. Paths are
 * relative to the root.
 */
export interface LoadOrder {
  /** Modules to import before all others, in this order. */
  readonly first: readonly string[];
  /** Every module in an import cycle, with the modules it loads, in import order. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
}

/** The result of analyzing an application. Plain JSON, deterministic, packages in name order. */
export interface App {
  /** package.json's `name`, or the directory's base name. */
  readonly name: string;
  readonly packages: readonly Package[];
  readonly types: TypeTable;
  /** The composite indexes that queries need, sorted by entity, then fields; absent if there are none. */
  readonly indexes?: readonly CompositeIndex[];
  /** The fields that queries count by; absent if there are none. */
  readonly countedFields?: readonly CountedField[];
  /** The names of entities with queries that skip the first matching documents; absent if there are none. */
  readonly skippingEntities?: readonly string[];
  /** The load order for modules that import each other; absent if any order works. */
  readonly loadOrder?: LoadOrder;
  /** Descriptions of MCP servers and their tools; absent without such a server. */
  readonly mcp?: McpFacts;
  /** The settings of each declaration as written in the source, by `declarationKey`; absent in a handwritten model. */
  readonly written?: Readonly<Record<string, WrittenSettings>>;
}
