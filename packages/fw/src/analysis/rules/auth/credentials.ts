import { bindingOf, wireName } from "../../../model/bindings.ts";
import type { BoundField } from "../../../model/request-shape.ts";

/** Whether a field is read from where a request can have credentials. */
export function isCredential({ source }: BoundField): boolean {
  return bindingOf(source).credentials === true;
}

/** A credential as requests have it. */
export function credentialText({ source, wire }: BoundField): string {
  return `${source} ${wireName(source, wire)}`;
}
