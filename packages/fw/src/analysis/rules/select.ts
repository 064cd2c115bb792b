import { cachedByObject } from "../../lib/cached-by-object.ts";
import { grouped } from "../../lib/grouped.ts";
import { hasDescription } from "../../model/kinds.ts";
import type { ParsedDestination } from "../readers/destination.ts";
import type { ParsedEndpoint, EndpointTypes } from "../readers/endpoint.ts";
import type { ParsedPolicy } from "../readers/policy.ts";
import type { ParsedPackage, Parsed } from "../readers/parsed.ts";

export function isEndpoint(read: Parsed): read is ParsedEndpoint {
  return read.kind !== "misplaced" && hasDescription(read.kind, "family", "endpoint");
}

export function isDestination(read: Parsed): read is ParsedDestination {
  return read.kind !== "misplaced" && hasDescription(read.kind, "family", "destination");
}

/** True for a policy that a function decides, rather than a role or a membership. */
export function hasDecision(read: Parsed): read is ParsedPolicy {
  return read.kind === "policy" && read.required === undefined && read.member === undefined;
}

/**
 * Returns the types of an endpoint, authenticator, policy or tenant, once they are read; undefined for other
 * declarations.
 */
export function typesOf(read: Parsed): EndpointTypes | undefined {
  const hasTypes =
    isEndpoint(read) || read.kind === "authenticator" || read.kind === "policy" || read.kind === "tenant";
  return hasTypes ? read.types : undefined;
}

const readsByKind = cachedByObject(({ reads }: ParsedPackage): ReadonlyMap<Parsed["kind"], readonly Parsed[]> =>
  grouped(reads, ({ kind }) => kind),
);

/** Returns the declarations of one kind in a package, in source order. */
export function ofKind<Kind extends Parsed["kind"]>(
  read: ParsedPackage,
  kind: Kind,
): readonly Extract<Parsed, { kind: Kind }>[] {
  return (readsByKind(read).get(kind) ?? []) as readonly Extract<Parsed, { kind: Kind }>[];
}

/** Returns the jobs of a package, in source order. */
export const jobsOf: (read: ParsedPackage) => readonly ParsedDestination[] = cachedByObject(
  ({ reads }: ParsedPackage) => reads.filter(isDestination).filter(({ kind }) => kind === "job"),
);

/** Returns the endpoints of a package, in source order. */
export const endpointsOf: (read: ParsedPackage) => readonly ParsedEndpoint[] = cachedByObject(
  ({ reads }: ParsedPackage) => reads.filter(isEndpoint),
);
