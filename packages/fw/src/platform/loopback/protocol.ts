import type { Document, Page } from "../contract.ts";
import { decodeFields } from "../document.ts";
import { encodeTagged } from "../../lib/tagged-json.ts";
import type { PlatformErrorCode } from "../errors.ts";

/*
 * A request is `POST /<noun>/<operation>` with a token of the calling service. Its body is the arguments (`wire.ts`); where
 * the body is an object's bytes, they are in a header. The answer is the result with status 200, or a Failure with another.
 */

/** The platform's name in tokens: as who is called, and as who calls. No service can have it. */
export const platformIdentity = "fw:platform";

/** What a process of a service calls itself: random, and the same in all its requests. */
export const instanceHeader = "fw-instance";

/** The arguments of a request whose body is an object's bytes, in base64url. */
export const argumentsHeader = "fw-arguments";

/** Why there is no result; without a code it is a fault of the platform or of its client. */
export interface Failure {
  readonly code?: PlatformErrorCode;
  readonly message: string;
  readonly subject?: string;
}

/** A document on its way: its fields as they are stored. */
export interface WireDocument extends Omit<Document, "fields"> {
  readonly fields: string;
}

/** A page on its way. */
export interface WirePage extends Omit<Page, "documents"> {
  readonly documents: readonly WireDocument[];
}

export function documentToWire<T extends Document | undefined>(document: T): WireDocument | Extract<T, undefined> {
  return document === undefined
    ? (undefined as Extract<T, undefined>)
    : { ...document, fields: encodeTagged(document.fields) };
}

export function documentFromWire<T extends WireDocument | undefined>(document: T): Document | Extract<T, undefined> {
  return document === undefined
    ? (undefined as Extract<T, undefined>)
    : { ...document, fields: decodeFields(document.fields) };
}

export function pageToWire({ documents, ...position }: Page): WirePage {
  return { ...position, documents: documents.map((document) => documentToWire(document)) };
}

export function pageFromWire({ documents, ...position }: WirePage): Page {
  return { ...position, documents: documents.map((document) => documentFromWire(document)) };
}
