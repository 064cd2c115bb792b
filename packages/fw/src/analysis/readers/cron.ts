import { readConfig } from "./config.ts";
import type { Reader } from "./reader.ts";
import { anyConstant, someConstant } from "./settings.ts";
import { readText } from "./source.ts";

const settings = { timezone: anyConstant, deadline: someConstant };

/** Reads `Cron(name, schedule, handler, config)`. */
export const readCron: Reader = (source, call, declaration) => {
  return {
    kind: "cron",
    declaration,
    text: readText(source, call, 0),
    schedule: readText(source, call, 1),
    config: readConfig(source, call, 3, settings),
  };
};
