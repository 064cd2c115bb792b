import type { Authenticator } from "../../model/auth.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { EndpointTypes } from "./endpoint.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { argumentPlace } from "./source.ts";

export interface ParsedAuthenticator extends DeclarationBase<"authenticator"> {
  /** The location of its handler, or of the callee if it has none. */
  readonly at: Span;
  /** The type of its request, once it is read. The type of its result is not read. */
  readonly types?: EndpointTypes;
}

export const authenticator: DeclarationReader<ParsedAuthenticator, Authenticator> = {
  read: (source) => ({ at: argumentPlace(source, 0) }),
  model: ({ types }) => types && { request: types.request.shape },
};
