import { join, relative, sep } from "node:path";
import { rolldown, type OutputChunk, type OutputOptions, type RolldownBuild } from "rolldown";
import { oldestNode } from "../lib/oldest-node.ts";
import { ownDirectory } from "../lib/own-modules.ts";
import { appPlugin, type AppPluginOptions } from "./app-plugin.ts";
import { withBuiltinCalls } from "./builtin-imports.ts";

export interface BundleOptions extends AppPluginOptions {
  /** Specifier of the module to begin with. */
  readonly entry: string;
}

/** A file of a bundle. */
export interface BundledFile {
  readonly name: string;
  readonly text: string;
}

/** The bundle's code in one text, for looking at. */
export async function bundleText(options: BundleOptions): Promise<string> {
  const files = await bundled(options, { codeSplitting: false, comments: false });
  return files.map(({ code }) => code).join("\n");
}

/** The bundle as files: `main.js`, what it loads later, and their source maps. */
export async function bundleFiles(options: BundleOptions): Promise<readonly BundledFile[]> {
  const chunks = await bundled(options, {
    entryFileNames: "main.js",
    chunkFileNames: "[name].js",
    comments: false,
    // What code reads of functions and classes, the names of errors above all, is what it reads under fw dev.
    keepNames: true,
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: false,
      codegen: { removeWhitespace: false },
    },
    sourcemap: true,
    // A source map with the sources would hold what the bundle left out.
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => sourceName(options.root, join(map, "..", source)),
  });
  return chunks.flatMap(({ fileName, code, map }) => [
    { name: fileName, text: withBuiltinCalls(code) },
    ...(map ? [{ name: `${fileName}.map`, text: `${map.toString()}\n` }] : []),
  ]);
}

async function bundled(options: BundleOptions, output: OutputOptions): Promise<readonly OutputChunk[]> {
  const build = await open(options);
  try {
    const { output: files } = await build.generate({ format: "esm", dir: options.root, ...output });
    return files.filter((file) => file.type === "chunk");
  } finally {
    await build.close();
  }
}

function open(options: BundleOptions): Promise<RolldownBuild> {
  return rolldown({
    input: { main: options.entry },
    cwd: options.root,
    platform: "node",
    logLevel: "silent",
    tsconfig: false,
    transform: { target: oldestNode },
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"], ".mjs": [".mts", ".mjs"], ".jsx": [".tsx", ".jsx"] } },
    experimental: { attachDebugInfo: "none" },
    plugins: [appPlugin(options)],
  });
}

/** From a service's directory to the application's. */
const toRoot = "../../../..";

/** What a service's source map calls a file: the same wherever the application and fw are installed. */
function sourceName(root: string, path: string): string {
  const own = below(ownDirectory, path);
  if (own !== undefined) return `fw/${own}`;
  const packages = path.split(sep).join("/").split("/node_modules/");
  if (packages.length > 1) return `${toRoot}/node_modules/${packages.at(-1)}`;
  return `${toRoot}/${below(root, path) ?? path}`;
}

function below(dir: string, path: string): string | undefined {
  const name = relative(dir, path).split(sep).join("/");
  return name.startsWith("../") ? undefined : name;
}
