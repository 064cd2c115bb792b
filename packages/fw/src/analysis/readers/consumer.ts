import { eventName, type EventKind } from "../../lib/events.ts";
import { deliveryDeadlineMs, maxBackoffMs, minBackoffMs } from "../../lib/limits.ts";
import type { Consumer, Delivery, Source as ModelSource } from "../../model/background.ts";
import type { DeclarationBase, DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import { readConfig, type SettingReader, type SettingReaders, type SettingsOf } from "./config.ts";
import type { DestinationKind } from "./destination.ts";
import type { DeclarationSource, OwnFacts, DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead, DeclarationReference } from "./declaration-syntax.ts";
import type { ParsedRunner } from "./runner.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { serviceName } from "./service-name.ts";
import { someConstant } from "./setting-readers.ts";
import { argumentPlace, millisecondsIn, numberIn, readText, type CallSource, type Source } from "./source.ts";
import { declarationKinds, hasDescription, kinds, type DeclarationName } from "../../model/kinds.ts";
import type { NamedDeclaration } from "../resolution/named-declaration.ts";
import { namedSource } from "../resolution/named-source.ts";
import { referenceOf } from "./reference.ts";

/** Limit: the default maxAttempts of deliveries. */
const deliveries = 10;

/** A consumer of messages: a Worker, a Subscribe or a Runner. */
export interface ParsedConsumerOf<Name extends string, Settings> extends DeclarationBase<Name> {
  /** The location of the first argument. */
  readonly at: Span;
  readonly source: ParsedSource;
  readonly config: ConfigRead<Settings>;
}

export type ParsedWorker = ParsedConsumerOf<"worker", DeliverySettings>;
export type ParsedSubscribe = ParsedConsumerOf<"subscribe", DeliverySettings>;
export type ParsedConsumer = ParsedWorker | ParsedSubscribe | ParsedRunner;

/** Any constants, because rules check the values. */
const delivery: ScalingSettings &
  Readonly<Record<"maxAttempts" | "minBackoff" | "maxBackoff" | "rateLimit", SettingReader<unknown>>> = {
  maxAttempts: someConstant,
  minBackoff: someConstant,
  maxBackoff: someConstant,
  rateLimit: someConstant,
  ...scaling,
};

export type DeliverySettings = SettingsOf<typeof delivery>;

export const worker: DeclarationReader<ParsedWorker, Consumer> = {
  read: (source) => readConsumer(source, ["queue"], delivery),
  model: deliveryConsumerModel,
};

export const subscribe: DeclarationReader<ParsedSubscribe, Consumer> = {
  read: (source) => readConsumer(source, ["topic", "event"], delivery),
  model: deliveryConsumerModel,
};

/** Reads a consumer of messages. The kind of its source must be in `kinds`. */
export function readConsumer<Readers extends SettingReaders>(
  source: DeclarationSource,
  kinds: readonly (DestinationKind | "event")[],
  settings: Readers,
): OwnFacts<ParsedConsumerOf<string, SettingsOf<Readers>>> {
  return {
    at: argumentPlace(source, 0),
    source: readSourceOf(source, kinds),
    config: readConfig(source, 2, settings),
  };
}

function deliveryConsumerModel(
  parsed: ParsedWorker | ParsedSubscribe,
  service: string,
): OwnFacts<Consumer> | undefined {
  return consumerModel(parsed, service, deliveryModel(parsed.config.settings));
}

/** Converts a consumer to the model; undefined if its source is wrong or the source's name is not constant. */
export function consumerModel(
  { declaration, source, config }: ParsedConsumer,
  service: string,
  delivery: Delivery,
): OwnFacts<Consumer> | undefined {
  const from = sourceModel(source);
  const pins = pinsModel(config.settings);
  return from && { service: serviceName(service, declaration), source: from, delivery, ...pins };
}

function sourceModel(source: ParsedSource): ModelSource | undefined {
  if (source.kind === "wrong") return undefined;
  if (source.kind !== "event") return source.name === undefined ? undefined : { kind: source.kind, name: source.name };
  if (source.event.startsWith("auth.")) return { kind: "event", name: source.event };
  return source.name === undefined ? undefined : { kind: "event", name: eventName(source.event, source.name) };
}

function deliveryModel({ maxAttempts, minBackoff, maxBackoff, rateLimit, traffic }: DeliverySettings): Delivery {
  const rate = numberIn(rateLimit);
  return {
    maxAttempts: numberIn(maxAttempts) ?? deliveries,
    minBackoff: millisecondsIn(minBackoff) ?? minBackoffMs,
    maxBackoff: millisecondsIn(maxBackoff) ?? maxBackoffMs,
    ...(rate === undefined ? {} : { rateLimit: rate }),
    deadline: millisecondsIn(traffic?.value?.timeout) ?? deliveryDeadlineMs,
  };
}

/** The source named by the first argument of a Worker, a Subscribe or a Runner. */
type ParsedSource =
  | ({ readonly kind: DestinationKind; readonly name: string | undefined } & DeclarationKey)
  /** `name` is the bucket, queue or topic; undefined for account events, and if not constant. */
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

/** Reads the source of a consumer. Its kind must be in `allowedKinds`. */
function readSourceOf(source: CallSource, allowedKinds: readonly (DestinationKind | "event")[]): ParsedSource {
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
