import type { Feed } from "../../model/feed.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { MessageTypes } from "./destination.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";

/** `Feed<T>(name)`. */
export interface ParsedFeed extends ParsedNamed<"feed"> {
  /** Set once the types are read. */
  readonly types?: MessageTypes;
}

export const feed: DeclarationReader<ParsedFeed, Feed> = {
  read: (source) => nameOnly.read(source),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    return model && parsed.types && { ...model, message: parsed.types.message };
  },
};
