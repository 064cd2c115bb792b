import { parseMemory } from "../../lib/memory.ts";
import { profileNames, type Pins, type Profile } from "../../model/pins.ts";
import type { SettingReader, SettingsOf } from "./config.ts";
import type { Located } from "./declaration-syntax.ts";
import { group, oneOf, someConstant } from "./setting-readers.ts";
import { millisecondsIn, numberIn } from "./source.ts";

/** Any constants, because rules check the values. */
const footprint: Readonly<Record<"cpu" | "memory", SettingReader<unknown>>> = {
  cpu: someConstant,
  memory: someConstant,
};

export const traffic: Readonly<
  Record<"minInstances" | "maxInstances" | "concurrency" | "timeout", SettingReader<unknown>>
> = {
  minInstances: someConstant,
  maxInstances: someConstant,
  concurrency: someConstant,
  timeout: someConstant,
};

export type ScalingSettings = {
  readonly profile: SettingReader<Profile>;
  readonly footprint: SettingReader<SettingsOf<typeof footprint>>;
  readonly traffic: SettingReader<SettingsOf<typeof traffic>>;
};

/** The settings that determine the size and number of processes, on a Service or a handler. */
export const scaling: ScalingSettings = {
  profile: oneOf(...profileNames),
  footprint: group(footprint),
  traffic: group(traffic),
};

/** The pinned values with their locations; values of a wrong type are omitted. */
export type LocatedPins = { readonly [Name in keyof Pins]?: Located<NonNullable<Pins[Name]>> };

export function locatedPins({ profile, footprint, traffic }: SettingsOf<ScalingSettings>): LocatedPins {
  const { cpu, memory } = footprint?.value ?? {};
  const { minInstances, maxInstances, concurrency, timeout } = traffic?.value ?? {};
  const all: { readonly [Name in keyof Required<Pins>]: Located<unknown> | undefined } = {
    profile,
    cpu: pinned(cpu, numberIn),
    memory: pinned(memory, memoryIn),
    minInstances: pinned(minInstances, numberIn),
    maxInstances: pinned(maxInstances, numberIn),
    concurrency: pinned(concurrency, numberIn),
    timeout: pinned(timeout, millisecondsIn),
  };
  return Object.fromEntries(Object.entries(all).filter(([, pin]) => pin?.value !== undefined)) as LocatedPins;
}

type SettingReading = Located<unknown> | undefined;

function pinned(
  read: SettingReading,
  valueIn: (read: SettingReading) => number | undefined,
): Located<number> | undefined {
  return read && { at: read.at, value: valueIn(read) };
}

function memoryIn(read: SettingReading): number | undefined {
  return typeof read?.value === "string" ? parseMemory(read.value) : undefined;
}

export function pinsOf(pins: LocatedPins): Pins {
  return Object.fromEntries(Object.entries(pins).map(([name, { value }]) => [name, value])) as Pins;
}

/** Returns the `pins` of a declaration for the model, or an empty object if it has none. */
export function pinsModel(settings: SettingsOf<ScalingSettings>): { readonly pins?: Pins } {
  const pins = pinsOf(locatedPins(settings));
  return Object.keys(pins).length === 0 ? {} : { pins };
}
