import { fileURLToPath } from "node:url";

/**
 * The modules of fw that applications and generated code import, as files of the running fw: all of a process must
 * share one instance.
 */
export const ownModules: Readonly<Record<string, string>> = {
  fw: ours("declare/index"),
  "fw/runtime": ours("runtime/index"),
  "fw/service": ours("service/start"),
  "fw/service/local": ours("service/local"),
  "fw/service/local/data": ours("service/local/data"),
  "fw/service/gcp": ours("service/gcp"),
  "fw/service/gcp/data": ours("service/gcp/data"),
  "fw/service/gcp/sign-in": ours("service/gcp/sign-in"),
  // The helpers of rolldown for `using`, for a Node without it.
  "@oxc-project/runtime/helpers/usingCtx": ours("lib/using"),
};

/**
 * The same modules in a process that runs an application as it is. It starts from a few bundled files, because linking
 * several hundred modules takes longer than the rest of its start.
 */
export const runningModules: Readonly<Record<string, string>> = {
  ...ownModules,
  fw: running("fw"),
  "fw/runtime": running("runtime"),
};

/** The modules that this process shares with an application in it: the bundled ones if its own are bundled. */
export const sharedModules: Readonly<Record<string, string>> = isBundled() ? runningModules : ownModules;

/** Constants that say what an application uses; a build has its own for each service. */
export const runtimeCapabilities: string = ours("runtime/capabilities");

/** Counts of a service and their export, loaded where something reads them. */
export const telemetryModules: readonly string[] = [
  ours("service/telemetry-export"),
  ours("runtime/observe/metrics/store"),
];

/** Loads the markdown libraries. */
export const markdownLibraries: string = ours("runtime/page/markdown-libraries");

/** Only services that call others contain this module. */
export const remoteCalls: string = ours("runtime/remote/remote");

/** Built services never load this module: they call other services in other processes. */
export const inProcessCalls: string = ours("runtime/calls/in-process");

/** Only services with sockets contain this module. */
export const acceptedSockets: string = ours("runtime/socket/accept");

/** The module that runs in the process with the application's code in `fw dev`. */
export const devChild: string = running("child");

/** The pages of sign-in that only a laptop has. */
export const localPages: string = ours("dev/local-pages");

/** The implementation of `fw/testing`, and the module that loads the application for tests. */
export const testing: { readonly index: string; readonly load: string } = {
  index: running("testing"),
  load: running("load"),
};

/**
 * Loads a service's bundle without starting the service, in a process that Node starts. It is there once fw was
 * built.
 */
export const loadProbeMain: string = fileURLToPath(new URL("../../dist/build/load/main.js", import.meta.url));

/** The hooks that let Node's own test runner run an application's tests. */
export const nodeTestHooks: string = running("register");

/** The report of tests that run with `node --test`. */
export const nodeTestReporter: string = running("reporter");

/** The identity provider's library for browsers, which services for the cloud serve. It is there once fw was built. */
export const socialLibrary: string = fileURLToPath(new URL("../../dist/browser/social.js", import.meta.url));

/** The directory of the libraries that the console's page loads. It is there once fw was built. */
export const browserLibraries: string = fileURLToPath(new URL("../../dist/browser/", import.meta.url));

/** The module that places the boxes of a diagram, in browsers and in Node. It is there once fw was built. */
export const layoutLibrary: string = new URL("../../dist/browser/layout.js", import.meta.url).href;

/**
 * The directory that contains all of them, derived from the running module: bundled modules are also one directory
 * below it.
 */
export const ownDirectory: string = fileURLToPath(new URL("../", import.meta.url));

function isBundled(): boolean {
  return !/\/lib\/own-modules\.[jt]s$/.test(import.meta.url);
}

/** A bundled module. It is there once fw was built. */
function running(entry: string): string {
  return fileURLToPath(new URL(`../../dist/running/${entry}.js`, import.meta.url));
}

function ours(module: string): string {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return fileURLToPath(new URL(`../${module}${extension}`, import.meta.url));
}
