import { bindingOf, wireName } from "../../../model/bindings.ts";
import type { BoundField } from "../../../model/request-shape.ts";

/** True for a field in a part of the request that can carry credentials. */
export function isCredential({ source }: BoundField): boolean {
  return bindingOf(source).credentials === true;
}

/** Names the part of the request that carries a credential. */
export function credentialText({ source, wire }: BoundField): string {
  return `${source} ${wireName(source, wire)}`;
}
