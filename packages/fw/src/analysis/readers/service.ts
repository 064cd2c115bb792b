import { readConfig } from "./config.ts";
import type { Reader } from "./reader.ts";
import { oneOf, text } from "./settings.ts";

const settings = { domain: text, profile: oneOf("default", "latency", "batch") };

/** Reads `Service(config)`. */
export const readService: Reader = (source, call, declaration) => {
  return { kind: "service", declaration, config: readConfig(source, call, 0, settings) };
};
