import { text } from "../generate/text.ts";
import type { App } from "../model/app.ts";

export const mainSpecifier = "fw:main";

/** The module that a service's process begins with. */
export function mainModule(name: string, bundle: string, part: App): string {
  const options = [
    `name: ${text(name)}`,
    "directory: import.meta.dirname",
    ...(keepsData(part) ? [`data: () => import("fw/service/local")`] : []),
  ];
  return [
    `import bundle from ${text(bundle)};`,
    `import { startService } from "fw/service";`,
    `await startService(bundle, { ${options.join(", ")} });`,
    "",
  ].join("\n");
}

/** Whether the part of an application keeps anything, sends anything or works in the background. */
function keepsData({ packages }: App): boolean {
  return packages.some(({ entities, auths, buckets, carriers, receivers, crons, singletons }) =>
    [entities, auths, buckets, carriers, receivers, crons, singletons].some((list) => (list ?? []).length > 0),
  );
}
