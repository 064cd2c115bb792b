import type { StatusPage } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationKind } from "../../model/kinds.ts";
import type { Placement } from "../resolution/placement.ts";
import type { ParsedAlert } from "./alert.ts";
import type { ParsedAuth } from "./auth.ts";
import type { ParsedAuthenticator } from "./authenticator.ts";
import type { ParsedChannel } from "./channel.ts";
import type { ParsedSubscribe, ParsedWorker } from "./consumer.ts";
import type { ParsedCron } from "./cron.ts";
import type { ParsedDestination } from "./destination.ts";
import type { ParsedEndpoint } from "./endpoint.ts";
import type { ParsedEntity } from "./entity.ts";
import type { ParsedNamed } from "./named.ts";
import type { ParsedPolicy } from "./policy.ts";
import type { QueriesRead } from "./query.ts";
import type { Untraced } from "../tracing/untraced.ts";
import type { RawCall } from "./raw-call.ts";
import type { ParsedRunner } from "./runner.ts";
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

/** What is read of each kind of declaration. */
export interface ParsedKinds extends NamedKinds {
  readonly api: ParsedEndpoint;
  readonly page: ParsedEndpoint;
  readonly mount: ParsedEndpoint;
  readonly socket: ParsedEndpoint;
  readonly site: ParsedSite;
  readonly service: ParsedService;
  readonly status: StatusPage;
  readonly entity: ParsedEntity;
  readonly auth: ParsedAuth;
  readonly authenticator: ParsedAuthenticator;
  readonly policy: ParsedPolicy;
  readonly queue: ParsedDestination;
  readonly topic: ParsedDestination;
  readonly job: ParsedDestination;
  readonly worker: ParsedWorker;
  readonly subscribe: ParsedSubscribe;
  readonly runner: ParsedRunner;
  readonly cron: ParsedCron;
  readonly singleton: ParsedSingleton;
  readonly channel: ParsedChannel;
  readonly alert: ParsedAlert;
}

/** Of these a name is all there is to read. */
type NamedKinds = { readonly [Name in "role" | "secret" | "bucket" | "counter" | "histogram"]: ParsedNamed<Name> };

/** What was read of one declaration. Plain data: rules look at it and never at syntax. */
export type Parsed = ParsedKinds[DeclarationKind] | Misplaced;

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
  readonly untraced: readonly Untraced[];
}
