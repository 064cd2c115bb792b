import { readConfig } from "./config.ts";
import { deliverySettings } from "./delivery.ts";
import type { Reader } from "./reader.ts";
import { argumentPlace } from "./source.ts";
import { readSourceOf } from "./consumer-source.ts";

/** Reads `Subscribe(source, handler, delivery)`. */
export const readSubscribe: Reader = (source, call, declaration) => {
  return {
    kind: "subscribe",
    declaration,
    at: argumentPlace(source, call, 0),
    source: readSourceOf(source, call, ["topic", "event"]),
    config: readConfig(source, call, 2, deliverySettings),
  };
};
