import type { Feed } from "../../model/feed.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { MessageTypes } from "./destination.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readTenancy, separatedModel, type ParsedSeparation } from "./tenant.ts";

export interface ParsedFeed extends ParsedNamed<"feed">, ParsedSeparation {
  /** Set once the types are read. */
  readonly types?: MessageTypes;
}

export const feed: DeclarationReader<ParsedFeed, Feed> = {
  read: (source) => ({ ...nameOnly.read(source), ...readTenancy(source, 1) }),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    const { types, config } = parsed;
    return model && types && { ...model, message: types.message, ...separatedModel(config.settings.tenant) };
  },
};
