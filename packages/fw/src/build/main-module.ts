import { text } from "../generate/text.ts";
import { namesOf } from "../lib/names.ts";
import type { App } from "../model/app.ts";
import { ownModules, telemetryModules } from "../lib/own-modules.ts";
import { allOfKind, hasSignIn, keepsData } from "../model/declarations.ts";
import type { BuildPlatform } from "./platform.ts";

export const mainSpecifier = "fw:main";
const prepareSpecifier = "fw:prepare";

/** The social provider's browser library among the files of a service. */
export const libraryFile = "social.js";

/** True if a service serves the social provider's library to browsers. */
export function servesLibrary(platform: BuildPlatform, { packages }: Pick<App, "packages">): boolean {
  return platform === "gcp" && allOfKind(packages, "auth").some(({ social }) => social);
}

interface MainModule {
  /** The service's name. */
  readonly name: string;
  readonly platform: BuildPlatform;
  /** Specifier of the wiring. */
  readonly bundle: string;
  readonly part: App;
  /** The events that the framework publishes for the service. */
  readonly tells: readonly string[];
  /** The services whose code calls it. */
  readonly callers: readonly string[];
  /** Declarations that its code refers to but its wiring lacks, from `namedElsewhere`. */
  readonly elsewhere: readonly string[];
}

/** The modules that a service loads by `import()` at every start, if its bundle contains them. */
export function startModulesOf(platform: BuildPlatform): readonly string[] {
  const own = ["data", "sign-in"].flatMap((name) => ownModules[`fw/service/${platform}/${name}`] ?? []);
  return platform === "gcp" ? [...own, ...telemetryModules] : own;
}

/**
 * Generates the modules with which a service's process starts. The first one prepares the process, because modules of
 * the application may read secrets while they load.
 */
export function mainModules(main: MainModule): ReadonlyMap<string, string> {
  const secrets = namesOf(allOfKind(main.part.packages, "secret"));
  return new Map([
    [mainSpecifier, `import ${text(prepareSpecifier)};\n${mainText(main)}`],
    [prepareSpecifier, `import { prepareProcess } from "fw/service";\nprepareProcess(${JSON.stringify(secrets)});\n`],
  ]);
}

function mainText({ name, platform, bundle, part, tells, callers, elsewhere }: MainModule): string {
  const own = `fw/service/${platform}`;
  const load = (name: string): string => `() => import(${text(`${own}/${name}`)})`;
  const parts = [
    ...(keepsData(part) ? [`data: ${load("data")}`] : []),
    ...(platform === "gcp" && hasSignIn(part) ? [`signIn: ${load("sign-in")}`] : []),
    ...(platform === "gcp" && tells.length > 0 ? [`publishes: ${JSON.stringify(tells)}`] : []),
    ...(platform === "gcp" && callers.length > 0 ? [`callers: ${JSON.stringify(callers)}`] : []),
    ...(servesLibrary(platform, part) ? [`library: ${text(libraryFile)}`] : []),
  ];
  const options = [
    `name: ${text(name)}`,
    "directory: import.meta.dirname",
    ...(elsewhere.length > 0 ? [`elsewhere: ${JSON.stringify(elsewhere)}`] : []),
    `platform: ${platform}Service({ ${parts.join(", ")} })`,
  ];
  return [
    `import bundle from ${text(bundle)};`,
    `import { startService } from "fw/service";`,
    `import { ${platform}Service } from ${text(own)};`,
    `await startService(bundle, { ${options.join(", ")} });`,
    "",
  ].join("\n");
}
