import { fileURLToPath } from "node:url";

/**
 * fw's modules that applications and generated code import, as files of the running fw, because all code in a process
 * must share one instance.
 */
export const ownModules: Readonly<Record<string, string>> = {
  fw: ours("declare/index"),
  "fw/runtime": ours("runtime/index"),
  "fw/service": ours("service/start"),
  "fw/service/local": ours("service/local"),
  "fw/service/local/data": ours("service/local/data"),
  "fw/service/gcp": ours("service/gcp"),
  "fw/service/gcp/data": ours("service/gcp/data"),
  "fw/service/gcp/connections": ours("service/gcp/connections"),
  "fw/service/gcp/sign-in": ours("service/gcp/sign-in"),
  // Rolldown's helper for `using`, for versions of Node that lack it.
  "@oxc-project/runtime/helpers/usingCtx": ours("lib/using"),
};

/**
 * The same modules in a process that runs an application without a build. It loads a few bundled files, because linking
 * several hundred modules takes longer than the rest of its startup.
 */
export const runningModules: Readonly<Record<string, string>> = {
  ...ownModules,
  fw: running("fw"),
  "fw/runtime": running("runtime"),
};

/** The modules that this process shares with an application inside it: bundled if this process's own code is. */
export const sharedModules: Readonly<Record<string, string>> = isBundled() ? runningModules : ownModules;

/** Constants for the capabilities that an application uses. A build replaces them for each service. */
export const runtimeCapabilities: string = ours("runtime/capabilities");

/** Constants for the platform ports that a process uses. A build replaces them, too. */
export const platformPorts: string = ours("platform/used-ports");

/** Modules that count and export metrics, loaded only where metrics are read. */
export const telemetryModules: readonly string[] = [
  ours("service/telemetry-export"),
  ours("runtime/observe/metrics/store"),
];

export const cloudModule: string = ours("platform/gcp/cloud");

export const markdownLibraries: string = ours("runtime/page/markdown-libraries");

/** The module for calls to other services. Services without such calls do not contain it. */
export const remoteCalls: string = ours("runtime/remote/remote");

/** The module that handles requests to MCP servers. Services without one do not contain it. */
export const mcpServer: string = ours("runtime/mcp/answer-request");

/**
 * The module for calls within the process. In a built service, only an MCP server uses it: it calls tools of its own
 * service as another service would.
 */
export const inProcessCalls: string = ours("runtime/calls/in-process");

/** The module that accepts sockets. Services without any do not contain it. */
export const acceptedSockets: string = ours("runtime/socket/accept");

/** The module that runs in the same process as the application's code under `fw dev`. */
export const devChild: string = running("child");

/** The module that adds the dev bar and recording for the console to services on a laptop. */
export const localPages: string = ours("dev/local-pages");

/** The trace recorder that services under `fw serve` load. Exists once fw is built. */
export const servedTraces: string = servedModule("traces");

/** The module through which services receive requests from the front. Exists once fw is built. */
export const servedRelay: string = servedModule("relay");

/** The implementation of `fw/testing`, and the module that loads the application for tests. */
export const testing: { readonly index: string; readonly load: string } = {
  index: running("testing"),
  load: running("load"),
};

/** The program that loads a service's bundle without starting the service. Exists once fw is built. */
export const loadProbeMain: string = fileURLToPath(new URL("../../dist/build/load/main.js", import.meta.url));

/** The hooks that let Node's own test runner run an application's tests. */
export const nodeTestHooks: string = running("register");

export const nodeTestReporter: string = running("reporter");

/** The identity provider's browser library, served by cloud services. Exists once fw is built. */
export const socialLibrary: string = fileURLToPath(new URL("../../dist/browser/social.js", import.meta.url));

/** The directory with the libraries that the console's page loads. Exists once fw is built. */
export const browserLibraries: string = fileURLToPath(new URL("../../dist/browser/", import.meta.url));

/** The module that lays out diagrams, in browsers and in Node. Exists once fw is built. */
export const layoutLibrary: string = new URL("../../dist/browser/layout.js", import.meta.url).href;

/** The directory of fw's modules, located from the running module. Bundled modules are also one directory below it. */
export const ownDirectory: string = fileURLToPath(new URL("../", import.meta.url));

function isBundled(): boolean {
  return !/\/lib\/own-modules\.[jt]s$/.test(import.meta.url);
}

/** Returns the path of a bundled module, which exists once fw is built. */
function running(entry: string): string {
  return fileURLToPath(new URL(`../../dist/running/${entry}.js`, import.meta.url));
}

/** Returns the path of a module that services load from a copy. */
function servedModule(module: string): string {
  return fileURLToPath(new URL(`../../dist/served/${module}.mjs`, import.meta.url));
}

function ours(module: string): string {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return fileURLToPath(new URL(`../${module}${extension}`, import.meta.url));
}
