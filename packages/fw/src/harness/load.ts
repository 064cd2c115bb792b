import { keepPlaces } from "../declare/declared.ts";
import { ignoreEnvironment } from "../declare/secret.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { checkDeclared } from "../runtime/known-declarations.ts";
import type { NewTestApp } from "./test-app.ts";
import { openTestApp } from "./new-test-app.ts";

/** `newTestApp` of the module graph in which `load` imports the generated bundle. */
export function testApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  ignoreEnvironment();
  return async (options) => openTestApp((await load()).default, options);
}

/** The same of the wiring that belongs to the tests' own modules: all that those declare has to be in it. */
export function wiredTestApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  keepPlaces();
  return testApps(async () => {
    const loaded = await load();
    checkDeclared(loaded.default);
    return loaded;
  });
}
