import { readConfig } from "./config.ts";
import type { Reader } from "./reader.ts";
import { anyConstant, group } from "./settings.ts";
import { readText } from "./source.ts";

const settings = { traffic: group({ maxInstances: anyConstant }) };

/** Reads `Singleton(name, body, config)`. */
export const readSingleton: Reader = (source, call, declaration) => {
  const text = readText(source, call, 0);
  return { kind: "singleton", declaration, text, config: readConfig(source, call, 2, settings) };
};
