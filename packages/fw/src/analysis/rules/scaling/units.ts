import { descriptionOf, type KindWith } from "../../../model/kinds.ts";
import { inheritPins, resolveScaling, type Scaling } from "../../../model/scaling.ts";
import type { Service } from "../../../model/services.ts";
import type { Parsed, ParsedOf, ParsedPackage } from "../../readers/parsed.ts";
import { locatedPins, pinsOf, type LocatedPins } from "../../readers/scaling.ts";

export type Scaled = ParsedOf<"service"> | ParsedHandler;

/** A handler of any kind. The status page and the error shape also run in an app service, but have no settings. */
type ParsedHandler = ParsedOf<Exclude<KindWith<"runs">, "status" | "errors">>;

/** A service with its scaling and the locations of its pins. */
export interface ServiceUnit {
  readonly kind: Service["kind"];
  readonly pins: LocatedPins;
  readonly scaling: Scaling;
}

export function isScaled(read: Parsed): read is Scaled {
  return read.kind === "service" || isHandler(read);
}

function isHandler(read: Parsed): read is ParsedHandler {
  return (
    read.kind !== "misplaced" &&
    read.kind !== "status" &&
    read.kind !== "errors" &&
    descriptionOf(read.kind).runs !== undefined
  );
}

function isAlone(read: ParsedHandler): read is ParsedOf<Exclude<Service["kind"], "app">> {
  return descriptionOf(read.kind).runs === "alone";
}

/** Returns the handlers of a package's app service, in source order. */
export function appHandlers(read: ParsedPackage): readonly ParsedHandler[] {
  return read.reads.filter(isHandler).filter((handler) => !isAlone(handler));
}

/** Returns the values that the package's Service sets. */
export function sharedPins(read: ParsedPackage): LocatedPins {
  const service = read.reads.find((read) => read.kind === "service");
  return service?.kind === "service" ? locatedPins(service.config.settings) : {};
}

/** Returns the services of a package, the app service first. */
export function unitsOf(read: ParsedPackage): readonly ServiceUnit[] {
  const shared = sharedPins(read);
  const alone = read.reads.filter(isHandler).filter(isAlone);
  return [unit("app", shared, appHandlers(read)), ...alone.map((handler) => unit(handler.kind, shared, [handler]))];
}

function unit(kind: Service["kind"], shared: LocatedPins, members: readonly ParsedHandler[]): ServiceUnit {
  const own = members.map(({ config }) => locatedPins(config.settings));
  const pins = inheritPins(kind, shared, Object.assign({}, ...own) as LocatedPins, ({ cpu }) => cpu?.value ?? 1);
  return { kind, pins, scaling: resolveScaling(kind, pinsOf(pins)) };
}
