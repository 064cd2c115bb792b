import { pathToFileURL } from "node:url";
import { testing } from "../../lib/own-modules.ts";

/** The module that tests import as `fw/testing`: its `newTestApp` loads the application through the tests' own modules. */
export function testingText(entry: string): string {
  return [
    `import { wiredTestApps } from ${literalURL(testing.load)};`,
    `export * from ${literalURL(testing.index)};`,
    `export const newTestApp = wiredTestApps(() => import(${JSON.stringify(entry)}));`,
    "",
  ].join("\n");
}

function literalURL(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}
