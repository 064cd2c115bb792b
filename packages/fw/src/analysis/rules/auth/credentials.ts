import { bindingOf, wireName } from "../../../model/bindings.ts";
import type { BoundField } from "../../../model/request-shape.ts";

/** True for a field that is read from a part of the request that can carry credentials. */
export function isCredential({ source }: BoundField): boolean {
  return bindingOf(source).credentials === true;
}

/** Names the place of a credential in requests. */
export function credentialText({ source, wire }: BoundField): string {
  return `${source} ${wireName(source, wire)}`;
}
