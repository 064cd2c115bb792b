import type { Destination } from "../../model/background.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";

export type DestinationKind = Destination["kind"];

/** `Queue<T>(name)`, `Topic<T>(name)` or `Job<T>(name)`: what has messages. */
export interface ParsedDestination extends ParsedNamed<DestinationKind> {
  /** Set once the types are known. */
  readonly types?: MessageTypes;
}

/** What a message is, and which of it cannot be sent. */
export interface MessageTypes {
  readonly message: Schema;
  readonly refusals: readonly TypeProblem[];
}

export const destination: Kind<ParsedDestination, Destination> = {
  read: named.read,
  model(parsed, service) {
    const whole = named.model(parsed, service);
    return whole && parsed.types && { ...whole, message: parsed.types.message };
  },
};
