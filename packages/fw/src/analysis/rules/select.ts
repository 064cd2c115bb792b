import { hasDescription } from "../../model/kinds.ts";
import type { ParsedDestination } from "../readers/destination.ts";
import type { ParsedEndpoint, EndpointTypes } from "../readers/endpoint.ts";
import type { ParsedPackage, Parsed } from "../readers/parsed.ts";

export function isEndpoint(read: Parsed): read is ParsedEndpoint {
  return read.kind !== "misplaced" && hasDescription(read.kind, "family", "endpoint");
}

export function isDestination(read: Parsed): read is ParsedDestination {
  return read.kind !== "misplaced" && hasDescription(read.kind, "family", "destination");
}

/** Returns the types of an endpoint, an authenticator or a policy, once they are known. */
export function typesOf(read: Parsed): EndpointTypes | undefined {
  return isEndpoint(read) || read.kind === "authenticator" || read.kind === "policy" ? read.types : undefined;
}

/** The declarations of one kind in a package, in source order. */
export function ofKind<Kind extends Parsed["kind"]>(
  read: ParsedPackage,
  kind: Kind,
): Extract<Parsed, { kind: Kind }>[] {
  return read.reads.filter((read): read is Extract<Parsed, { kind: Kind }> => read.kind === kind);
}

/** The endpoints of a package, in source order. */
export function endpointsOf(read: ParsedPackage): ParsedEndpoint[] {
  return read.reads.filter(isEndpoint);
}
