import { keepPlaces } from "../declare/declaration-records.ts";
import { ignoreEnvironment } from "../declare/secret.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { checkDeclared } from "../runtime/check-declarations.ts";
import type { NewTestApp } from "./test-app.ts";
import { openTestApp } from "./new-test-app.ts";

/** Creates a `newTestApp` for the bundle that `load` imports. */
export function testApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  ignoreEnvironment();
  return async (options) => openTestApp((await load()).default, options);
}

/** Creates a `newTestApp` that fails if the wiring does not match the declarations of the tests' own modules. */
export function checkedTestApps(load: () => Promise<{ readonly default: Bundle }>): NewTestApp {
  keepPlaces();
  return testApps(async () => {
    const wiring = await load();
    checkDeclared(wiring.default);
    return wiring;
  });
}
