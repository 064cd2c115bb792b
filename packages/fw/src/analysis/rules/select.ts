import type { DestinationRead } from "../readers/background.ts";
import type { EndpointRead, EndpointTypes, PackageRead, Read } from "../readers/read.ts";

export function isEndpoint(read: Read): read is EndpointRead {
  return read.kind === "api" || read.kind === "page";
}

/** A Queue, a Topic or a Job. */
export function isDestination(read: Read): read is DestinationRead {
  return read.kind === "queue" || read.kind === "topic" || read.kind === "job";
}

/** What the types of an endpoint say, once they are known. */
export function typesOf(read: Read): EndpointTypes | undefined {
  return isEndpoint(read) ? read.types : undefined;
}

/** The declarations of one kind in a package, in source order. */
export function ofKind<Kind extends Read["kind"]>(read: PackageRead, kind: Kind): Extract<Read, { kind: Kind }>[] {
  return read.reads.filter((each): each is Extract<Read, { kind: Kind }> => each.kind === kind);
}

/** The endpoints of a package, in source order. */
export function endpointsOf(read: PackageRead): EndpointRead[] {
  return read.reads.filter(isEndpoint);
}
