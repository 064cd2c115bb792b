import type { Finding } from "../rule.ts";
import type { Declared } from "../../model/declaration-ref.ts";
import type { OfKind } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationKind, KindWith } from "../../model/kinds.ts";
import type { Placement } from "../resolution/placement.ts";
import type { ParsedAlert } from "./alert.ts";
import type { ParsedAuth } from "./auth.ts";
import type { ParsedAuthenticator } from "./authenticator.ts";
import type { ParsedChannel } from "./channel.ts";
import type { ParsedConsumer } from "./consumer.ts";
import type { ParsedCron } from "./cron.ts";
import type { ParsedDestination } from "./destination.ts";
import type { ParsedEndpoint } from "./endpoint.ts";
import type { ParsedEntity } from "./entity.ts";
import type { ParsedNamed } from "./named.ts";
import type { ParsedPolicy } from "./policy.ts";
import type { QueriesRead } from "./query.ts";
import type { RawCall } from "./raw-call.ts";
import type { ParsedService } from "./service.ts";
import type { ParsedSingleton } from "./singleton.ts";
import type { ParsedSite } from "./site.ts";

/** A declaration written where none is read. */
export interface Misplaced {
  readonly kind: "misplaced";
  /** The function that was called: `API`. */
  readonly name: string;
  readonly placement: Exclude<Placement, "const">;
  readonly at: Span;
}

/** What was read of one declaration. Plain data: rules look at it and never at syntax. */
export type Parsed = ParsedDeclaration | Misplaced;

type ParsedDeclaration =
  | ParsedEndpoint
  | ParsedSite
  | ParsedService
  | Declared<"status">
  | ParsedEntity
  | ParsedAuth
  | ParsedAuthenticator
  | ParsedPolicy
  | ParsedDestination
  | ParsedConsumer
  | ParsedCron
  | ParsedSingleton
  | ParsedChannel
  | ParsedAlert
  | NameOnly<KindWith<"nameOnly">>;

/** Each kind a type of its own. */
type NameOnly<Kind> = Kind extends KindWith<"nameOnly"> ? ParsedNamed<Kind> : never;

/** What is read of declarations of a kind. */
export type ParsedOf<Kind extends DeclarationKind> = OfKind<Kind, ParsedDeclaration>;

/** The declarations of one directory, in source order: path, then position. */
export interface ParsedPackage {
  readonly name: string;
  /** Relative to the application's root; "" for the root itself. */
  readonly dir: string;
  readonly reads: readonly Parsed[];
}

export interface ParsedApp {
  /** In name order. */
  readonly packages: readonly ParsedPackage[];
  /** False where packages are left out because they could not be read; then the absence of a declaration says nothing. */
  readonly whole: boolean;
  /** Whether a directory exists, relative to the application's root; asked anew each time. */
  readonly hasDirectory: (dir: string) => boolean;
  /** Whether a file exists, likewise. */
  readonly hasFile: (path: string) => boolean;
  /** Paths of the modules that are read as the application's source. */
  readonly sources: readonly string[];
  /** What is asked of entities, wherever it is written. */
  readonly queries: QueriesRead;
  /** Calls of handlers of other packages, wherever they are written. */
  readonly rawCalls: readonly RawCall[];
  /** What decides what the application is and cannot be followed. */
  readonly untraced: readonly Finding[];
}
