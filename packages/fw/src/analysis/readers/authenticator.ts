import type { Authenticator } from "../../model/auth.ts";
import type { Declared } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { EndpointTypes } from "./endpoint.ts";
import type { Kind } from "./kind.ts";
import { argumentPlace } from "./source.ts";

export interface ParsedAuthenticator extends Declared<"authenticator"> {
  /** The place of its handler; of what is called, where there is none. */
  readonly at: Span;
  /** Set once the types are known. It answers nothing that is sent. */
  readonly types?: EndpointTypes;
}

/** `Authenticator(handler)`. */
export const authenticator: Kind<ParsedAuthenticator, Authenticator> = {
  read: (source) => ({ at: argumentPlace(source, 0) }),
  model: ({ types }) => types && { request: types.request.shape },
};
