import { text } from "../generate/text.ts";
import { namesOf } from "../lib/names.ts";
import type { App } from "../model/app.ts";
import { cloudModule, ownModules, telemetryModules } from "../lib/own-modules.ts";
import { allOfKind, hasSignIn, keepsData } from "../model/declarations.ts";
import type { Capabilities } from "./capabilities.ts";
import type { BuildPlatform } from "./platform.ts";

export const mainSpecifier = "fw:main";
const prepareSpecifier = "fw:prepare";

/** The file of a service that holds the social provider's browser library. */
export const libraryFile = "social.js";

/** True if a service serves the social provider's library to browsers. */
export function servesLibrary(platform: BuildPlatform, { packages }: Pick<App, "packages">): boolean {
  return platform === "gcp" && allOfKind(packages, "auth").some(({ social }) => social);
}

interface MainModule {
  readonly name: string;
  readonly platform: BuildPlatform;
  readonly bundle: string;
  readonly part: App;
  readonly capabilities: Capabilities;
  /** The events that the framework publishes for the service. */
  readonly tells: readonly string[];
  readonly callers: readonly string[];
  /** Declarations that its code refers to but its wiring lacks, as returned by `namedElsewhere`. */
  readonly elsewhere: readonly string[];
}

/**
 * Returns the paths of the modules that a service loads with `import()` at every start, if its bundle contains them.
 */
export function startModulesOf(platform: BuildPlatform, capabilities: Capabilities | undefined): readonly string[] {
  const own = ["data", "sign-in", "connections"].flatMap((name) => ownModules[`fw/service/${platform}/${name}`] ?? []);
  if (platform === "local") return own;
  const isConnected = capabilities && (capabilities.usesData !== undefined || hasConnections(capabilities));
  return [...own, ...telemetryModules, ...(isConnected ? [cloudModule] : [])];
}

/** True if the service calls others, or verifies the tokens of its callers. */
function hasConnections({ usesCallers, usesRemotes, usesBackground }: Capabilities): boolean {
  return [usesCallers, usesRemotes, usesBackground].some((reason) => reason !== undefined);
}

/**
 * Generates the modules that start a service's process. The main module first imports the one that prepares the
 * process, because modules of the application may read secrets while they load.
 */
export function mainModules(main: MainModule): ReadonlyMap<string, string> {
  const secrets = namesOf(allOfKind(main.part.packages, "secret"));
  return new Map([
    [mainSpecifier, `import ${text(prepareSpecifier)};\n${mainText(main)}`],
    [prepareSpecifier, `import { prepareProcess } from "fw/service";\nprepareProcess(${JSON.stringify(secrets)});\n`],
  ]);
}

function mainText(main: MainModule): string {
  const { name, platform, bundle, elsewhere } = main;
  const options = [
    `name: ${text(name)}`,
    "directory: import.meta.dirname",
    ...(elsewhere.length > 0 ? [`elsewhere: ${JSON.stringify(elsewhere)}`] : []),
    `platform: ${platform}Service({ ${partsOf(main).join(", ")} })`,
  ];
  return [
    `import bundle from ${text(bundle)};`,
    `import { startService } from "fw/service";`,
    `import { ${platform}Service } from ${text(`fw/service/${platform}`)};`,
    `await startService(bundle, { ${options.join(", ")} });`,
    "",
  ].join("\n");
}

/** Generates the options for the optional parts of the platform that the service uses. */
function partsOf({ platform, part, capabilities, tells, callers }: MainModule): readonly string[] {
  const load = (name: string): string => `() => import(${text(`fw/service/${platform}/${name}`)})`;
  const data = keepsData(part) ? [`data: ${load("data")}`] : [];
  if (platform === "local") return data;
  return [
    ...data,
    ...(hasSignIn(part) ? [`signIn: ${load("sign-in")}`] : []),
    ...(hasConnections(capabilities) ? [`connections: ${load("connections")}`] : []),
    ...(tells.length > 0 ? [`publishes: ${JSON.stringify(tells)}`] : []),
    ...(callers.length > 0 ? [`callers: ${JSON.stringify(callers)}`] : []),
    ...(servesLibrary(platform, part) ? [`library: ${text(libraryFile)}`] : []),
  ];
}
