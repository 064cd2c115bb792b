import type { AppPluginOptions } from "./app-plugin.ts";
import {
  acceptedSockets,
  inProcessCalls,
  mcpServer,
  markdownLibraries,
  platformPorts,
  remoteCalls,
  runtimeCapabilities,
} from "../lib/own-modules.ts";
import { capabilitiesText, usedPortsText, type Capabilities } from "./capabilities.ts";

/** The facts that decide which modules of fw a service loads lazily or never. */
export interface Needs {
  /** True if the service's templates may render Markdown. */
  readonly markdown: boolean;
  readonly capabilities: Capabilities;
}

/** The differences between a bundle and fw's own modules: replaced modules, separate files, and additional modules. */
export interface Replacements extends Pick<AppPluginOptions, "replacedModules" | "separateChunks"> {
  readonly added: ReadonlyMap<string, string>;
}

/**
 * Empty replacements for the modules that only MCP servers need. In a built service, only the tools of an MCP server
 * call services of the same process.
 */
const noMcpServer: readonly (readonly [string, string])[] = [inProcessCalls, mcpServer].map((module) => [
  module,
  "export {};\n",
]);

/** The replacements for a bundle that is analyzed and never run. */
export const plainFramework: Replacements = {
  replacedModules: new Map(noMcpServer),
  separateChunks: new Map(),
  added: new Map(),
};

const markdownSpecifier = "fw:markdown";
export const markdownFile = "markdown.js";

/**
 * The module of the Markdown libraries, which becomes a separate file that the first page with Markdown loads
 * synchronously.
 */
const markdownText = `
export { default as createMarkdown } from "markdown-it";
export { default as sanitizeHTML } from "sanitize-html";
`;
const librariesText = `
import { createRequire } from "node:module";
export const requireLibraries = () => createRequire(import.meta.url)("./${markdownFile}");
export const importLibraries = async () => requireLibraries();
`;

/** Returns the replacements for the modules of fw that a service loads lazily or never. */
export function lazyModules({ markdown, capabilities }: Needs): Replacements {
  const replaced = new Map(capabilities.usesMCP === undefined ? noMcpServer : []);
  replaced.set(runtimeCapabilities, capabilitiesText(capabilities));
  replaced.set(platformPorts, usedPortsText(capabilities));
  // Without these replacements, the bundler would include the modules: it follows `import()` before it drops dead code.
  if (capabilities.usesRemotes === undefined) replaced.set(remoteCalls, "export {};\n");
  if (capabilities.usesSockets === undefined) replaced.set(acceptedSockets, "export {};\n");
  // The Markdown libraries are a fifth of the modules to bundle, so the bundler reads them only for a service with
  // Markdown.
  replaced.set(markdownLibraries, librariesText);
  if (!markdown) return { replacedModules: replaced, separateChunks: new Map(), added: new Map() };
  return {
    replacedModules: replaced,
    separateChunks: new Map([[markdownSpecifier, markdownFile]]),
    added: new Map([[markdownSpecifier, markdownText]]),
  };
}
