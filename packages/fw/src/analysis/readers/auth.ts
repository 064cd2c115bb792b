import { readConfig } from "./config.ts";
import type { Reader } from "./reader.ts";
import { flag } from "./settings.ts";
import { argumentPlace } from "./source.ts";

const settings = { social: flag, password: flag };

/** Reads `Auth(config)`. */
export const readAuth: Reader = (source, call, declaration) => {
  const config = readConfig(source, call, 0, settings);
  return { kind: "auth", declaration, at: argumentPlace(source, call, 0), config };
};
