import { fileURLToPath } from "node:url";
import { exposeDeclarations } from "../../generate/expose.ts";
import { ownModules } from "../../dev/child/own-modules.ts";
import type { Change } from "../../dev/watch/watcher.ts";
import { ignoredDirectory, ignoredFile } from "../../dev/watch/ignore.ts";
import { appRoot } from "../app-root.ts";
import { wantsColour } from "../print/colour.ts";
import { printRefusal, refusal } from "./refused.ts";
import { testedApplication, type TestedApplication, type Wiring } from "./wiring.ts";

/** The plugin that lets Vitest run an application's tests: `plugins: [fw()]`. `fw test` adds it by itself. */
export interface VitestPlugin {
  readonly name: "fw";
  readonly enforce: "pre";
  config(): object;
  configResolved(config: ViteConfig): Promise<void>;
  configureServer(server: ViteServer): void;
  resolveId(id: string): Promise<string | undefined>;
  load(id: string): Promise<string | undefined>;
  transform(code: string, id: string): Promise<{ readonly code: string; readonly map: null } | undefined>;
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

/** What Vite calls a module that is not on disk. */
const virtual = "\0";

/** Makes the plugin of `vitest.config.ts`. The application is the one around Vite's root. */
export function fw(): VitestPlugin {
  let application: TestedApplication | undefined;
  const wiring = async (): Promise<Wiring | undefined> => application?.wiring();

  const plugin: VitestPlugin = {
    name: "fw",
    enforce: "pre",

    // Node imports fw itself, once for the tests and the application.
    config: () => ({ test: { server: { deps: { external: [ownFiles()] } } } }),

    async configResolved({ root, plugins }) {
      // A configuration may name the plugin that `fw test` adds.
      if (plugins.find(({ name }) => name === plugin.name) !== plugin) return;
      application = testedApplication(appRoot(root));
      refuse(application.root, await application.wiring());
    },

    configureServer({ watcher, environments }) {
      watcher.on("all", (event, path) => {
        const change = changeOf(event, path);
        if (application === undefined || change === undefined) return;
        application.changed([change]);
        for (const { moduleGraph } of Object.values(environments)) forget(moduleGraph);
      });
    },

    async resolveId(id) {
      const { files = {} } = (await wiring()) ?? {};
      if (Object.hasOwn(files, id)) return virtual + id;
      const shared = application && ownModules[id];
      if (shared !== undefined) return fileURLToPath(shared);
      return undefined;
    },

    async load(id) {
      const known = id.startsWith(virtual) ? await wiring() : undefined;
      return known && textOf(known, id.slice(virtual.length));
    },

    async transform(code, id) {
      const { exposed = {} } = (await wiring()) ?? {};
      const names = exposed[id.split("?", 1)[0] ?? id];
      return names && { code: exposeDeclarations(code, names), map: null };
    },
  };
  return plugin;
}

/** The text of a generated module. Throws while something is wrong with the application. */
function textOf({ files, diagnostics }: Wiring, specifier: string): string | undefined {
  if (diagnostics.length > 0 && specifier.startsWith("fw")) throw new Error(refusal(diagnostics));
  return Object.hasOwn(files, specifier) ? files[specifier] : undefined;
}

function refuse(root: string, { diagnostics }: Wiring): void {
  if (diagnostics.length === 0) return;
  process.stderr.write(`${printRefusal(root, diagnostics, wantsColour(process.stderr, process.env))}\n`);
  const error = new Error(refusal(diagnostics));
  // Vitest prints it, and nobody looks for the mistake in here.
  error.stack = `fw: ${error.message}`;
  throw error;
}

/** Everything of the running fw. */
function ownFiles(): RegExp {
  const directory = fileURLToPath(new URL("../../", import.meta.url)).replaceAll("\\", "/");
  return new RegExp(`^${directory.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}

function changeOf(event: string, path: string): Change | undefined {
  if (ignoredFile(path) || path.split(/[\\/]/).some((name) => name !== "" && ignoredDirectory(name))) return undefined;
  if (event === "add") return { path, kind: "created" };
  if (event === "change") return { path, kind: "changed" };
  return event === "unlink" ? { path, kind: "deleted" } : undefined;
}

/** Lets the generated modules be asked for anew. */
function forget(graph: ModuleGraph): void {
  for (const [id, module] of graph.idToModuleMap) if (id.startsWith(virtual)) graph.invalidateModule(module as never);
}
