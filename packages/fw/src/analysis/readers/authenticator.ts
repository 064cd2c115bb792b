import type { DeclarationRef } from "../../model/app.ts";
import type { Authenticator } from "../../model/auth.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { EndpointTypes } from "./endpoint.ts";
import type { Kind } from "./kind.ts";
import { argumentPlace } from "./source.ts";

export interface ParsedAuthenticator {
  readonly kind: "authenticator";
  readonly declaration: DeclarationRef;
  /** The place of its handler; of what is called, where there is none. */
  readonly at: Span;
  /** Set once the types are known. It answers nothing that is sent. */
  readonly types?: EndpointTypes;
}

/** `Authenticator(handler)`. */
export const authenticator: Kind<ParsedAuthenticator, Authenticator> = {
  read: (source, call, declaration) => ({ kind: "authenticator", declaration, at: argumentPlace(source, call, 0) }),
  model: ({ kind, declaration, types }) => types && { kind, declaration, request: types.request.shape },
};
