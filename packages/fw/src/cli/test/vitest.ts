import { relative } from "node:path";
import { exposeDeclarations } from "../../generate/expose.ts";
import { ownDirectory, runningModules } from "../../lib/own-modules.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import { ignoredDirectory, ignoredFile } from "../../workspace/watch/ignore.ts";
import { createModuleResolver, isEvaluated } from "../../workspace/module-resolver.ts";
import { appRoot } from "../app-root.ts";
import { withLoadOrder } from "./load-order.ts";
import { wantsColour } from "../print/colour.ts";
import { testedApplication, type TestedApplication, type Wiring } from "./wiring.ts";

/** The Vite plugin that lets Vitest run an application's tests: `plugins: [fw()]`. `fw test` adds it automatically. */
export interface VitestPlugin {
  readonly name: "fw";
  readonly enforce: "pre";
  config(userConfig: UserConfig): object;
  configResolved(config: ViteConfig): Promise<void>;
  configureServer(server: ViteServer): void;
  resolveId(id: string): Promise<string | undefined>;
  load(id: string): Promise<string | undefined>;
  transform(code: string, id: string): Promise<{ readonly code: string; readonly map: null } | undefined>;
}

/** The settings that the plugin reads from the application's configuration. */
interface UserConfig {
  readonly test?: { readonly testTimeout?: number; readonly hookTimeout?: number };
}

interface ViteConfig {
  readonly root: string;
  readonly plugins: readonly { readonly name: string }[];
}

interface ViteServer {
  readonly watcher: { on(event: "all", listener: (event: string, path: string) => void): unknown };
  readonly environments: Readonly<Record<string, { readonly moduleGraph: ModuleGraph }>>;
}

interface ModuleGraph {
  readonly idToModuleMap: ReadonlyMap<string, unknown>;
  invalidateModule(module: never): void;
}

/**
 * The default timeout. The first test of a file loads the application, which can take longer than Vitest's default of
 * five seconds.
 */
const defaultTimeoutMs = 30_000;

/** Vite's prefix for modules that are not on disk. */
const virtual = "\0";

/** Creates the plugin for `vitest.config.ts`. It tests the application that contains Vite's root. */
export function fw(): VitestPlugin {
  let application: TestedApplication | undefined;

  const plugin: VitestPlugin = {
    name: "fw",
    enforce: "pre",

    // Keeps fw external, so that tests and application share one instance. The application's own settings take
    // precedence.
    config: ({ test }) => ({
      test: {
        testTimeout: test?.testTimeout ?? defaultTimeoutMs,
        hookTimeout: test?.hookTimeout ?? defaultTimeoutMs,
        server: { deps: { external: [ownFiles()] } },
      },
    }),

    async configResolved({ root, plugins }) {
      // Ignore a second instance: the configuration may contain the plugin that `fw test` also adds.
      if (plugins.find(({ name }) => name === plugin.name) !== plugin) return;
      application = testedApplication(appRoot(root), process.env);
      throwRefusal(await application.wiring());
    },

    configureServer({ watcher, environments }) {
      watcher.on("all", (event, path) => {
        const change = application && fileChange(application.root, event, path);
        if (application === undefined || change === undefined) return;
        application.changed([change]);
        for (const { moduleGraph } of Object.values(environments)) invalidateGenerated(moduleGraph);
      });
    },

    async resolveId(id) {
      if (application === undefined) return undefined;
      if (isGenerated(id)) return virtual + id;
      return runningModules[id];
    },

    async load(id) {
      const specifier = id.slice(virtual.length);
      if (application === undefined || !id.startsWith(virtual) || !isGenerated(specifier)) return undefined;
      return (await requireWiring(application)).files[specifier];
    },

    async transform(code, id) {
      const path = id.split("?", 1)[0] ?? id;
      if (application === undefined || !isEvaluated(application.root, path)) return undefined;
      const { exposed, loadOrder } = await requireWiring(application);
      const text = withLoadOrder(path, code, loadOrder, createModuleResolver(application.root));
      const names = exposed[path];
      if (names === undefined && text === code) return undefined;
      return { code: exposeDeclarations(text, names ?? []), map: null };
    },
  };
  return plugin;
}

function isGenerated(specifier: string): boolean {
  return specifier === "fw/testing" || specifier.startsWith("fw:");
}

/** Returns the wiring; throws while the application has problems. */
async function requireWiring(application: TestedApplication): Promise<Wiring> {
  const wiring = await application.wiring();
  const { refusal } = wiring;
  if (refusal === undefined) return wiring;
  throw new Error(`${refusal.sentence}\n\n${refusal.text(false)}`);
}

function throwRefusal({ refusal }: Wiring): void {
  if (refusal === undefined) return;
  process.stderr.write(`${refusal.text(wantsColour(process.stderr, process.env))}\n`);
  const error = new Error(refusal.sentence);
  // Vitest prints the stack, so leave out fw's own frames.
  error.stack = `fw: ${error.message}`;
  throw error;
}

/** Returns a pattern that matches every file of the running fw. */
function ownFiles(): RegExp {
  const directory = ownDirectory.replaceAll("\\", "/");
  return new RegExp(`^${directory.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}

function fileChange(root: string, event: string, path: string): Change | undefined {
  const [name = "", ...directories] = relative(root, path).split(/[\\/]/).toReversed();
  if (ignoredFile(name) || directories.some(ignoredDirectory)) return undefined;
  if (event === "add") return { path, kind: "created" };
  if (event === "change") return { path, kind: "changed" };
  return event === "unlink" ? { path, kind: "deleted" } : undefined;
}

/** Makes Vite reload the generated modules. */
function invalidateGenerated(graph: ModuleGraph): void {
  for (const [id, module] of graph.idToModuleMap) if (id.startsWith(virtual)) graph.invalidateModule(module as never);
}
