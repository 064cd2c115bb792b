import { inherited, resolved, type Scaling } from "../../../model/scaling.ts";
import type { Service } from "../../../model/services.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { ParsedCron } from "../../readers/cron.ts";
import type { ParsedEndpoint } from "../../readers/endpoint.ts";
import type { Parsed, ParsedPackage } from "../../readers/parsed.ts";
import { locatedPins, pinsOf, type LocatedPins } from "../../readers/scaling.ts";
import type { ParsedService } from "../../readers/service.ts";
import type { ParsedSingleton } from "../../readers/singleton.ts";

/** What can say something of its processes. */
export type Scaled = ParsedService | ParsedHandler;

type ParsedHandler = ParsedEndpoint | ParsedCron | ParsedConsumer | ParsedSingleton;

/** What runs as one service: its values, and where those stand that are pinned. */
export interface Unit {
  readonly kind: Service["kind"];
  readonly pins: LocatedPins;
  readonly scaling: Scaling;
}

const handlers: Readonly<Partial<Record<Parsed["kind"], Service["kind"]>>> = {
  api: "app",
  page: "app",
  cron: "app",
  worker: "worker",
  subscribe: "subscribe",
  runner: "runner",
  singleton: "singleton",
};

export function isScaled(read: Parsed): read is Scaled {
  return read.kind === "service" || read.kind in handlers;
}

/** The handlers of a package's app service, in source order. */
export function appHandlers(read: ParsedPackage): readonly ParsedHandler[] {
  return read.reads.filter((read): read is ParsedHandler => handlers[read.kind] === "app");
}

/** The pins of the Service of a package. */
export function sharedPins(read: ParsedPackage): LocatedPins {
  const service = read.reads.find((read) => read.kind === "service");
  return service?.kind === "service" ? locatedPins(service.config.settings) : {};
}

/** The services of a package, the app service first. */
export function unitsOf(read: ParsedPackage): readonly Unit[] {
  const shared = sharedPins(read);
  const alone = read.reads.filter((read): read is ParsedHandler => (handlers[read.kind] ?? "app") !== "app");
  return [
    unit("app", shared, appHandlers(read)),
    ...alone.map((handler) => unit(handlers[handler.kind] ?? "app", shared, [handler])),
  ];
}

function unit(kind: Service["kind"], shared: LocatedPins, members: readonly ParsedHandler[]): Unit {
  const own = members.map(({ config }) => locatedPins(config.settings));
  const pins = inherited(kind, shared, Object.assign({}, ...own) as LocatedPins, ({ cpu }) => cpu?.value ?? 1);
  return { kind, pins, scaling: resolved(kind, pinsOf(pins)) };
}
