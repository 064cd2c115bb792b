import { formatDuration } from "../../lib/duration.ts";
import { formatMemory } from "../../lib/memory.ts";
import type { Profile } from "../../model/pins.ts";
import { resolveScaling, scalingOf, type Scaling } from "../../model/scaling.ts";
import type { Service } from "../../model/services.ts";

/** The resources of a service, in the form of a declaration. */
export interface GraphScaling {
  readonly service: string;
  readonly profile: Profile;
  readonly footprint: { readonly cpu: number; readonly memory: string };
  /** Null for runners and singletons. */
  readonly traffic: {
    readonly minInstances: number;
    readonly maxInstances: number;
    readonly concurrency: number;
    readonly timeout: string;
  } | null;
  /** True if a declaration changes a default. */
  readonly declared: boolean;
}

export function graphScaling(service: Service): GraphScaling {
  const scaling = scalingOf(service);
  const { profile, footprint, traffic } = scaling;
  return {
    service: service.name,
    profile,
    footprint: { cpu: footprint.cpu, memory: formatMemory(footprint.memory) },
    traffic: traffic ? { ...traffic, timeout: formatDuration(traffic.timeout) } : null,
    declared: !isSame(scaling, resolveScaling(service.kind, {})),
  };
}

function isSame(one: Scaling, other: Scaling): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Formats a line for each service that differs from the defaults. */
export function scalingLines(scaling: readonly GraphScaling[]): readonly string[] {
  return scaling.filter((each) => each.declared).map(line);
}

function line(scaling: GraphScaling): string {
  return `  runs ${scaling.service}  ${scalingWords(scaling)}`;
}

/** Describes the resources of a service in words. */
export function scalingWords({ profile, footprint, traffic }: GraphScaling): string {
  const parts = [`profile ${profile}`, `${footprint.cpu} cpu`, footprint.memory];
  if (traffic) {
    const { minInstances, maxInstances, concurrency, timeout } = traffic;
    parts.push(`${minInstances} to ${maxInstances} instances`, `${concurrency} at a time`, `timeout ${timeout}`);
  }
  return parts.join(", ");
}
