import { ignoreEnvironment } from "../declare/secret.ts";
import type { Bundle } from "../runtime/bundle.ts";
import type { NewTestApp } from "./app.ts";
import { openTestApp } from "./open-app.ts";

/** `newTestApp` of the module graph in which `load` imports the generated bundle. */
export function testApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  ignoreEnvironment();
  return async (options) => openTestApp((await load()).default, options);
}
