import type { EventKind } from "../../lib/events.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import { declarationKinds, hasDescription, kinds, type DeclarationName } from "../../model/kinds.ts";
import type { NamedDeclaration } from "../resolution/named-declaration.ts";
import { namedSource } from "../resolution/named-source.ts";
import type { DestinationKind } from "./destination.ts";
import type { Reference } from "./declaration-syntax.ts";
import { referenceOf } from "./reference.ts";
import { readText, type CallSource, type Source } from "./source.ts";

/** What the first argument of a Worker, a Subscribe or a Runner names. */
export type ParsedSource =
  | ({ readonly kind: DestinationKind; readonly name: string | undefined } & DeclarationKey)
  /** `name` is that of the bucket, the queue or the topic; undefined for events of accounts. */
  | ({ readonly kind: "event"; readonly event: EventKind; readonly name: string | undefined } & DeclarationKey)
  | WrongSource;

/** What no consumer of the kind takes. */
interface WrongSource {
  readonly kind: "wrong";
  readonly reference: Reference;
  /** The function that declares what is named, where something is. */
  readonly declaredBy?: DeclarationName;
  /** The property that is read of it. */
  readonly event?: string;
}

/** Reads what the first argument of a consumer names, where it must be of one of these kinds. */
export function readSourceOf(source: CallSource, wanted: readonly (DestinationKind | "event")[]): ParsedSource {
  const [argument] = source.call.arguments;
  if (!argument || argument.type === "SpreadElement") {
    return { kind: "wrong", reference: { kind: "none" } };
  }
  const { declaration, event } = namedSource(source.project, source.module, argument);
  const read = declaration.kind === "declared" ? declaredSource(source, declaration, event) : undefined;
  if (read && wanted.includes(read.kind)) return read;
  return {
    kind: "wrong",
    reference: referenceOf(declaration, wanted.flatMap(functionsOf), source, argument),
    ...(declaration.kind === "declared" ? { declaredBy: declaration.name } : {}),
    ...(event === undefined ? {} : { event }),
  };
}

/** What declares a source of a kind, to be told apart from a declaration that is none. */
function functionsOf(kind: DestinationKind | "event"): readonly DeclarationName[] {
  return kind === "event" ? ["Queue", "Topic", "Bucket", "Auth"] : kinds[kind].functions;
}

/** What happens to a declaration that subscribers are told of, by kind and property. */
const events: Readonly<Record<string, EventKind>> = {
  "bucket.uploaded": "bucket.uploaded",
  "auth.registered": "auth.registered",
  "auth.firstSignIn": "auth.first-sign-in",
  "queue.dead": "dead.queue",
  "topic.dead": "dead.topic",
};

type Declared = Extract<NamedDeclaration, { kind: "declared" }>;
type Known = Exclude<ParsedSource, { kind: "wrong" }>;

function declaredSource({ project }: Source, named: Declared, property: string | undefined): Known | undefined {
  const kind = declarationKinds[named.name];
  const { module, variable } = named;
  const key = { module: module.path, variable };
  const name = kind === "auth" ? undefined : readText({ ...named, project }, 0).value;
  if (property === undefined) {
    return hasDescription(kind, "family", "destination") ? { kind, name, ...key } : undefined;
  }
  const event = events[`${kind}.${property}`];
  return event && { kind: "event", event, name, ...key };
}
