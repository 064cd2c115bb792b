import type { AppPluginOptions } from "./app-plugin.ts";
import {
  acceptedSockets,
  inProcessCalls,
  markdownLibraries,
  remoteCalls,
  signInEndpoints,
} from "../lib/own-modules.ts";

/** What a service may never need, or only after it has started. */
export interface Needs {
  /** Pages that may render markdown. */
  readonly markdown: boolean;
  /** Endpoints of other services. */
  readonly remotes: boolean;
  /** Sockets. */
  readonly sockets: boolean;
  /** People who sign in. */
  readonly signIn: boolean;
}

const markdownSpecifier = "fw:markdown";
const markdownFile = "markdown.js";

/** The libraries of markdown are a file of their own, which the first page that renders some loads at once. */
const markdownText = `
export { default as createMarkdown } from "markdown-it";
export { default as sanitizeHTML } from "sanitize-html";
`;
const librariesText = `
import { createRequire } from "node:module";
export const requireLibraries = () => createRequire(import.meta.url)("./${markdownFile}");
export const importLibraries = async () => requireLibraries();
`;

/** How a bundle has modules of fw that a service does not need when it starts. */
export function lazyModules({ markdown, remotes, sockets, signIn }: Needs): Pick<
  AppPluginOptions,
  "replaced" | "separateChunks"
> & {
  readonly added: ReadonlyMap<string, string>;
} {
  const replaced = new Map([[inProcessCalls, "export {};\n"]]);
  if (!remotes) replaced.set(remoteCalls, "export {};\n");
  if (!sockets) replaced.set(acceptedSockets, "export {};\n");
  if (!signIn) replaced.set(signInEndpoints, "export const signInEndpoints = {};\n");
  if (!markdown) return { replaced, separateChunks: new Map(), added: new Map() };
  replaced.set(markdownLibraries, librariesText);
  return {
    replaced,
    separateChunks: new Map([[markdownSpecifier, markdownFile]]),
    added: new Map([[markdownSpecifier, markdownText]]),
  };
}
