import { text } from "../generate/text.ts";
import { namesOf } from "../lib/names.ts";
import type { App } from "../model/app.ts";
import { allOfKind, keepsData } from "../model/declarations.ts";

export const mainSpecifier = "fw:main";
const prepareSpecifier = "fw:prepare";

/** The modules that a service's process begins with. What prepares it comes first: the application's modules may read secrets as they load. */
export function mainModules(
  name: string,
  bundle: string,
  part: App,
  elsewhere: readonly string[],
): ReadonlyMap<string, string> {
  const secrets = namesOf(allOfKind(part.packages, "secret"));
  return new Map([
    [mainSpecifier, `import ${text(prepareSpecifier)};\n${mainText(name, bundle, part, elsewhere)}`],
    [prepareSpecifier, `import { prepareProcess } from "fw/service";\nprepareProcess(${JSON.stringify(secrets)});\n`],
  ]);
}

function mainText(name: string, bundle: string, part: App, elsewhere: readonly string[]): string {
  const options = [
    `name: ${text(name)}`,
    "directory: import.meta.dirname",
    ...(elsewhere.length > 0 ? [`elsewhere: ${JSON.stringify(elsewhere)}`] : []),
    ...(keepsData(part) ? [`data: () => import("fw/service/local")`] : []),
  ];
  return [
    `import bundle from ${text(bundle)};`,
    `import { startService } from "fw/service";`,
    `await startService(bundle, { ${options.join(", ")} });`,
    "",
  ].join("\n");
}
