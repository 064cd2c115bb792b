import type { Destination } from "../../model/background.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { evolutionModel, historyModel, readEvolution, type ParsedEvolution } from "./evolution.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";

export type DestinationKind = Destination["kind"];

/** `Queue<T>(name)`, `Topic<T>(name)` or `Job<T>(name)`. */
export interface ParsedDestination extends ParsedNamed<DestinationKind>, ParsedEvolution {
  /** Set once the types are read. */
  readonly types?: MessageTypes;
}

/** The type of messages, and its parts that cannot be sent. */
export interface MessageTypes {
  readonly message: Schema;
  readonly refusals: readonly TypeProblem[];
}

export const destination: DeclarationReader<ParsedDestination, Destination> = {
  read: (source) => ({ ...nameOnly.read(source), ...readEvolution(source) }),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    return (
      model &&
      parsed.types && { ...model, message: parsed.types.message, ...evolutionModel(parsed), ...historyModel(parsed) }
    );
  },
};
