import { deliveryDeadlineMs, leastMemoryMi, trafficTimeoutMs } from "../lib/limits.ts";
import { settingsOf } from "./declarations.ts";
import { descriptionOf } from "./kinds.ts";
import type { Pins, Profile } from "./pins.ts";
import type { Service } from "./services.ts";

/** Limit: the minimum memory of a task, in mebibytes. */
const leastRunnerMemoryMi = 512;

/** The resources and scaling of a service; memory in mebibytes, times in milliseconds. */
export interface Scaling {
  readonly profile: Profile;
  readonly footprint: { readonly cpu: number; readonly memory: number };
  /** Absent for runners and singletons, which receive no requests that instances could share. */
  readonly traffic?: Traffic;
}

export interface Traffic {
  readonly minInstances: number;
  readonly maxInstances: number;
  /** The number of requests that one instance handles concurrently. */
  readonly concurrency: number;
  readonly timeout: number;
}

/** The scaling of a service without pinned settings, by profile. */
export const profiles: Readonly<Record<Profile, Scaling["footprint"] & Traffic>> = {
  default: { cpu: 1, memory: 512, minInstances: 0, maxInstances: 100, concurrency: 80, timeout: trafficTimeoutMs },
  latency: { cpu: 2, memory: 1024, minInstances: 1, maxInstances: 100, concurrency: 80, timeout: 60_000 },
  batch: { cpu: 2, memory: 2048, minInstances: 0, maxInstances: 20, concurrency: 1, timeout: 3_600_000 },
};

/** The CPU counts of 1 or more that an instance can have, each with its minimum and maximum memory. */
const sizes: readonly (readonly [cpu: number, least: number, most: number])[] = [
  [1, leastMemoryMi, 4096],
  [2, leastMemoryMi, 8192],
  [4, 2048, 16_384],
  [6, 4096, 24_576],
  [8, 4096, 32_768],
];

export function isCpu(cpu: number): boolean {
  return cpu < 1 ? cpu >= 0.08 && Number(cpu.toFixed(2)) === cpu : sizes.some(([size]) => size === cpu);
}

/** Returns the minimum and maximum memory for a CPU count. */
export function memoryFor(kind: Service["kind"], cpu: number): readonly [least: number, most: number] {
  if (cpu < 1) return [leastMemoryMi, cpu < 0.5 ? 512 : 1024];
  const [, least, most] = sizes.find(([size]) => size === cpu) ?? [0, 0, 0];
  return [kind === "runner" ? Math.max(least, leastRunnerMemoryMi) : least, most];
}

/** Computes a service's scaling. Assumes that its handlers do not pin different values, which a rule reports. */
export function scalingOf(service: Service): Scaling {
  return resolveScaling(service.kind, pinsOfService(service));
}

export function pinsOfService({ kind, package: pkg, entries }: Service): Pins {
  const handlers = pkg.declarations.filter(({ declaration }) => entries.includes(declaration));
  const settings = settingsOf(pkg);
  const shared: Pins = settings ? { ...settings.pins, profile: settings.profile } : {};
  return inheritPins(kind, shared, Object.assign({}, ...handlers.map(pinsOf)) as Pins);
}

function pinsOf(declared: Service["package"]["declarations"][number]): Pins {
  return "pins" in declared ? (declared.pins ?? {}) : {};
}

/**
 * Merges a handler's own settings over its Service's. A separate process does not inherit the timeout. A process
 * without requests does not inherit a CPU count below 1, or the memory set with it.
 */
export function inheritPins<T extends { readonly [Name in keyof Pins]?: unknown }>(
  kind: Service["kind"],
  servicePins: T,
  ownPins: T,
  cpuOf: (pins: T) => number = ({ cpu }) => Number(cpu ?? 1),
): T {
  if (kind === "app") return { ...servicePins, ...ownPins };
  const { timeout: _, ...rest } = servicePins;
  const isShare = isUnshared(kind) && cpuOf(servicePins) < 1;
  const { cpu: __, memory: ___, ...others } = rest;
  return { ...((isShare ? others : rest) as T), ...ownPins };
}

/** True if a service of this kind receives no requests. */
function isUnshared(kind: Service["kind"]): boolean {
  return kind !== "app" && descriptionOf(kind).unshared === true;
}

/** Fills in settings that are not pinned, consistent with the pinned ones. */
export function resolveScaling(kind: Service["kind"], pins: Pins): Scaling {
  const { profile = "default" } = pins;
  const defaults = profiles[profile];
  const { minInstances: fewest, maxInstances: most } = pins;
  const cpu = pins.cpu ?? smallestCpu(defaults.cpu, pins.memory ?? 0);
  const [least, greatest] = memoryFor(kind, cpu);
  const footprint = { cpu, memory: pins.memory ?? Math.min(Math.max(defaults.memory, least), greatest) };
  if (isUnshared(kind)) return { profile, footprint };
  const traffic = {
    minInstances: fewest ?? Math.min(defaults.minInstances, most ?? Infinity),
    maxInstances: most ?? Math.max(defaults.maxInstances, fewest ?? 0),
    concurrency: pins.concurrency ?? (cpu < 1 ? 1 : defaults.concurrency),
    timeout: pins.timeout ?? (kind === "app" ? defaults.timeout : deliveryDeadlineMs),
  };
  return { profile, footprint, traffic };
}

/** Returns the smallest CPU count, not below the profile's, that supports this much memory. */
function smallestCpu(cpu: number, memory: number): number {
  const fitting = sizes.find(([size, , greatest]) => size >= cpu && greatest >= memory);
  return fitting?.[0] ?? cpu;
}
