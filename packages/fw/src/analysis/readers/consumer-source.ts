import type { EventKind } from "../../lib/events.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import { declarationKinds, hasDescription, kinds, type DeclarationName } from "../../model/kinds.ts";
import type { NamedDeclaration } from "../resolution/named-declaration.ts";
import { namedSource } from "../resolution/named-source.ts";
import type { DestinationKind } from "./destination.ts";
import type { DeclarationReference } from "./declaration-syntax.ts";
import { referenceOf } from "./reference.ts";
import { readText, type CallSource, type Source } from "./source.ts";

/** The source named by the first argument of a Worker, a Subscribe or a Runner. */
export type ParsedSource =
  | ({ readonly kind: DestinationKind; readonly name: string | undefined } & DeclarationKey)
  /** `name` is the bucket, queue or topic; undefined for account events. */
  | ({ readonly kind: "event"; readonly event: EventKind; readonly name: string | undefined } & DeclarationKey)
  | WrongSource;

/** An argument that this kind of consumer does not take. */
interface WrongSource {
  readonly kind: "wrong";
  readonly reference: DeclarationReference;
  /** The function that declares the value, if any. */
  readonly declaredBy?: DeclarationName;
  readonly event?: string;
}

/** Reads the source of a consumer, which must be one of these kinds. */
export function readSourceOf(source: CallSource, allowedKinds: readonly (DestinationKind | "event")[]): ParsedSource {
  const [argument] = source.call.arguments;
  if (!argument || argument.type === "SpreadElement") {
    return { kind: "wrong", reference: { kind: "none" } };
  }
  const { declaration, event } = namedSource(source.project, source.module, argument);
  const read = declaration.kind === "declared" ? declaredSource(source, declaration, event) : undefined;
  if (read && allowedKinds.includes(read.kind)) return read;
  return {
    kind: "wrong",
    reference: referenceOf(declaration, allowedKinds.flatMap(functionsOf), source, argument),
    ...(declaration.kind === "declared" ? { declaredBy: declaration.name } : {}),
    ...(event === undefined ? {} : { event }),
  };
}

function functionsOf(kind: DestinationKind | "event"): readonly DeclarationName[] {
  return kind === "event" ? ["Queue", "Topic", "Bucket", "Auth"] : kinds[kind].functions;
}

/** Subscribable events, by declaration kind and property. */
const events: Readonly<Record<string, EventKind>> = {
  "bucket.uploaded": "bucket.uploaded",
  "auth.registered": "auth.registered",
  "auth.firstSignIn": "auth.first-sign-in",
  "auth.mail": "auth.mail",
  "queue.dead": "dead.queue",
  "topic.dead": "dead.topic",
};

function declaredSource(
  { project }: Source,
  target: Extract<NamedDeclaration, { kind: "declared" }>,
  property: string | undefined,
): Exclude<ParsedSource, { kind: "wrong" }> | undefined {
  const kind = declarationKinds[target.name];
  const { module, variable } = target;
  const key = { module: module.path, variable };
  const name = kind === "auth" ? undefined : readText({ ...target, project }, 0).value;
  if (property === undefined) {
    return hasDescription(kind, "family", "destination") ? { kind, name, ...key } : undefined;
  }
  const event = events[`${kind}.${property}`];
  return event && { kind: "event", event, name, ...key };
}
