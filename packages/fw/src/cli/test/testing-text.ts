/** The module that tests import as `fw/testing`: its `newTestApp` loads the application through the tests' own modules. */
export function testingText(entry: string): string {
  return [
    `import { wiredTestApps } from ${JSON.stringify(harness("load"))};`,
    `export * from ${JSON.stringify(harness("index"))};`,
    `export const newTestApp = wiredTestApps(() => import(${JSON.stringify(entry)}));`,
    "",
  ].join("\n");
}

function harness(module: string): string {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`../../harness/${module}${extension}`, import.meta.url).href;
}
