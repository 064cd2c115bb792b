import { ignoreEnvironment } from "../declare/secret.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "./app.ts";

/** Makes an application for a test; closed by `await using`. */
export type NewTestApp = (options?: TestAppOptions) => Promise<TestApp>;

/** `newTestApp` of the module graph in which `load` imports the generated bundle. */
export function testApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  ignoreEnvironment();
  return async (options) => openTestApp((await load()).default, options);
}
