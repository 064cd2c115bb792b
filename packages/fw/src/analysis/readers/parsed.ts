import type { Finding } from "../rule.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { OfKind } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationKind, KindWith } from "../../model/kinds.ts";
import type { Placement } from "../resolution/placement.ts";
import type { ParsedAlert } from "./alert.ts";
import type { ParsedAuth } from "./auth.ts";
import type { ParsedAuthenticator } from "./authenticator.ts";
import type { ParsedBucket } from "./bucket.ts";
import type { ParsedChannel } from "./channel.ts";
import type { ParsedConsumer } from "./consumer.ts";
import type { ParsedCron } from "./cron.ts";
import type { ParsedDestination } from "./destination.ts";
import type { ParsedEndpoint } from "./endpoint.ts";
import type { ParsedEntity } from "./entity.ts";
import type { ParsedErrorShape } from "./error-shape.ts";
import type { ParsedFeed } from "./feed.ts";
import type { ParsedLimit } from "./limit.ts";
import type { ParsedMail } from "./mail.ts";
import type { ParsedNamed } from "./named.ts";
import type { ParsedPolicy } from "./policy.ts";
import type { QueriesRead } from "./query.ts";
import type { LoopRead } from "./loop-read.ts";
import type { LostPromise } from "./lost-promise.ts";
import type { MachineTime } from "./machine-time.ts";
import type { UnfollowedUse } from "./unfollowed-use.ts";
import type { RawCall } from "./raw-call.ts";
import type { ParsedService } from "./service.ts";
import type { ParsedSingleton } from "./singleton.ts";
import type { ParsedSite } from "./site.ts";
import type { ParsedTenant } from "./tenant.ts";

/** A declaration in a place where fw does not read declarations. */
export interface Misplaced {
  readonly kind: "misplaced";
  /** The called function: `API`. */
  readonly name: string;
  readonly placement: Exclude<Placement, "const">;
  readonly at: Span;
}

/** The syntax of one declaration as plain data, so that rules never look at syntax. */
export type Parsed = ParsedDeclaration | Misplaced;

type ParsedDeclaration =
  | ParsedEndpoint
  | ParsedSite
  | ParsedService
  | DeclarationBase<"status">
  | ParsedErrorShape
  | ParsedEntity
  | ParsedAuth
  | ParsedAuthenticator
  | ParsedPolicy
  | ParsedTenant
  | ParsedDestination
  | ParsedConsumer
  | ParsedCron
  | ParsedSingleton
  | ParsedBucket
  | ParsedLimit
  | ParsedFeed
  | ParsedMail
  | ParsedChannel
  | ParsedAlert
  | NameOnly<KindWith<"nameOnly">>;

/** Distributes over kinds, so that each has its own type. */
type NameOnly<Kind> = Kind extends KindWith<"nameOnly"> ? ParsedNamed<Kind> : never;

export type ParsedOf<Kind extends DeclarationKind> = OfKind<Kind, ParsedDeclaration>;

/** The declarations of one directory, by path, then position. */
export interface ParsedPackage {
  readonly name: string;
  /** Relative to the application's root; "" for the root. */
  readonly dir: string;
  readonly reads: readonly Parsed[];
}

export interface ParsedApp {
  /** In name order. */
  readonly packages: readonly ParsedPackage[];
  /** False if some packages could not be read, so that a missing declaration proves nothing. */
  readonly isComplete: boolean;
  /** Tests whether a directory exists, relative to the application's root. */
  readonly hasDirectory: (dir: string) => boolean;
  /** Tests whether a file exists, relative to the application's root. */
  readonly hasFile: (path: string) => boolean;
  /** Paths of the modules that fw reads as the application's source. */
  readonly sources: readonly string[];
  readonly queries: QueriesRead;
  /** Uses of other packages' handlers that bypass their endpoints, in all modules. */
  readonly rawCalls: readonly RawCall[];
  /** Reads of the machine's clock whose time is stored, sent, returned or compared, in all modules. */
  readonly machineTimes: readonly MachineTime[];
  /** Reads of one document for each document of a query, in all modules. */
  readonly loopReads: readonly LoopRead[];
  /** Operations of fw whose promises nothing awaits, in all modules. */
  readonly lostPromises: readonly LostPromise[];
  /** Operations of live pages that change data, or read data whose changes do not reach browsers. */
  readonly unfollowed: readonly UnfollowedUse[];
  /** Code that affects the shape of the application but cannot be followed. */
  readonly untraced: readonly Finding[];
  /** Uses of tenant data that may be outside its tenant, and data whose declaration has no `tenant` setting. */
  readonly tenantEscapes: readonly Finding[];
}
