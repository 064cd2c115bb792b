import { relative } from "node:path";
import { exposeDeclarations } from "../../generate/expose.ts";
import { ownDirectory, ownModules } from "../../lib/own-modules.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import { ignoredDirectory, ignoredFile } from "../../workspace/watch/ignore.ts";
import { createModuleResolver, isEvaluated } from "../../workspace/module-resolver.ts";
import { appRoot } from "../app-root.ts";
import { withLoadOrder } from "./load-first.ts";
import { wantsColour } from "../print/colour.ts";
import { testedApplication, type TestedApplication, type Wiring } from "./wiring.ts";

/** The plugin that lets Vitest run an application's tests: `plugins: [fw()]`. `fw test` adds it by itself. */
export interface VitestPlugin {
  readonly name: "fw";
  readonly enforce: "pre";
  config(given: GivenConfig): object;
  configResolved(config: ViteConfig): Promise<void>;
  configureServer(server: ViteServer): void;
  resolveId(id: string): Promise<string | undefined>;
  load(id: string): Promise<string | undefined>;
  transform(code: string, id: string): Promise<{ readonly code: string; readonly map: null } | undefined>;
}

/** As much of what the application's configuration says as is looked at. */
interface GivenConfig {
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

/** Milliseconds: the first test of a file loads the application, which a busy machine does not do in Vitest's own five seconds. */
const patience = 30_000;

/** What Vite calls a module that is not on disk. */
const virtual = "\0";

/** Makes the plugin of `vitest.config.ts`. The application is the one around Vite's root. */
export function fw(): VitestPlugin {
  let application: TestedApplication | undefined;

  const plugin: VitestPlugin = {
    name: "fw",
    enforce: "pre",

    // Node imports fw itself, once for the tests and the application. What the application sets itself counts.
    config: ({ test }) => ({
      test: {
        testTimeout: test?.testTimeout ?? patience,
        hookTimeout: test?.hookTimeout ?? patience,
        server: { deps: { external: [ownFiles()] } },
      },
    }),

    async configResolved({ root, plugins }) {
      // A configuration may name the plugin that `fw test` adds.
      if (plugins.find(({ name }) => name === plugin.name) !== plugin) return;
      application = testedApplication(appRoot(root), process.env);
      refuse(await application.wiring());
    },

    configureServer({ watcher, environments }) {
      watcher.on("all", (event, path) => {
        const change = application && changeOf(application.root, event, path);
        if (application === undefined || change === undefined) return;
        application.changed([change]);
        for (const { moduleGraph } of Object.values(environments)) forget(moduleGraph);
      });
    },

    async resolveId(id) {
      if (application === undefined) return undefined;
      if (isGenerated(id)) return virtual + id;
      return ownModules[id];
    },

    async load(id) {
      const specifier = id.slice(virtual.length);
      if (application === undefined || !id.startsWith(virtual) || !isGenerated(specifier)) return undefined;
      return (await runnable(application)).files[specifier];
    },

    async transform(code, id) {
      const path = id.split("?", 1)[0] ?? id;
      if (application === undefined || !isEvaluated(application.root, path)) return undefined;
      const { exposed, loadOrder } = await runnable(application);
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

/** Throws while something is wrong with the application: no test that is affected runs then. */
async function runnable(application: TestedApplication): Promise<Wiring> {
  const wiring = await application.wiring();
  const { refusal } = wiring;
  if (refusal === undefined) return wiring;
  throw new Error(`${refusal.sentence}\n\n${refusal.text(false)}`);
}

function refuse({ refusal }: Wiring): void {
  if (refusal === undefined) return;
  process.stderr.write(`${refusal.text(wantsColour(process.stderr, process.env))}\n`);
  const error = new Error(refusal.sentence);
  // Vitest prints it, and nobody looks for the mistake in here.
  error.stack = `fw: ${error.message}`;
  throw error;
}

/** Everything of the running fw. */
function ownFiles(): RegExp {
  const directory = ownDirectory.replaceAll("\\", "/");
  return new RegExp(`^${directory.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}

function changeOf(root: string, event: string, path: string): Change | undefined {
  const [name = "", ...directories] = relative(root, path).split(/[\\/]/).toReversed();
  if (ignoredFile(name) || directories.some(ignoredDirectory)) return undefined;
  if (event === "add") return { path, kind: "created" };
  if (event === "change") return { path, kind: "changed" };
  return event === "unlink" ? { path, kind: "deleted" } : undefined;
}

/** Lets the generated modules be asked for anew. */
function forget(graph: ModuleGraph): void {
  for (const [id, module] of graph.idToModuleMap) if (id.startsWith(virtual)) graph.invalidateModule(module as never);
}
