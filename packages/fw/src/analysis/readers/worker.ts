import { readConfig } from "./config.ts";
import { deliverySettings } from "./delivery.ts";
import type { Reader } from "./reader.ts";
import { argumentPlace } from "./source.ts";
import { readSourceOf } from "./consumer-source.ts";

/** Reads `Worker(queue, handler, delivery)`. */
export const readWorker: Reader = (source, call, declaration) => {
  return {
    kind: "worker",
    declaration,
    at: argumentPlace(source, call, 0),
    source: readSourceOf(source, call, ["queue"]),
    config: readConfig(source, call, 2, deliverySettings),
  };
};
