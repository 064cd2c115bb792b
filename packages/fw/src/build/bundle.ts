import { join } from "node:path";
import { rolldown, type OutputChunk, type OutputOptions, type RolldownBuild } from "rolldown";
import { oldestNode } from "../lib/oldest-node.ts";
import { ownDirectory } from "../lib/own-modules.ts";
import { appPlugin, type AppPluginOptions } from "./app-plugin.ts";
import { withBuiltinCalls } from "./builtin-imports.ts";
import { loadedAtStart, modulesIn, withoutUnused, type BundledModule } from "./chunks.ts";
import { helperFile, withoutHelperFile } from "./helper-file.ts";
import type { Bundler } from "./memo.ts";
import { sourceName } from "./source-name.ts";
import { withoutUnusedNames } from "./unused-names.ts";

export interface BundleOptions extends AppPluginOptions {
  readonly entry: string;
  /** Paths of modules that the service loads with `import()` at every start. */
  readonly startModules: readonly string[];
  /** Called with the absolute paths of the files that the bundler read. */
  readonly onLoadedFiles?: (paths: readonly string[]) => void;
}

export interface BundledFile {
  readonly name: string;
  readonly text: string;
  /** Whether the service loads the file before it starts serving; absent if the file is not code. */
  readonly isLoadedAtStart?: boolean;
  /** Measures the modules in the file, a slow operation; absent if the file is not code from the bundler. */
  readonly modules?: () => readonly BundledModule[];
}

/** Bundles into a single text, for analysis. */
export const textBundler: Bundler<string> = { kind: "text", make: bundleText, revive: (text) => text };

/** Bundles into files: `main.js`, lazily loaded chunks, and source maps. */
export const fileBundler: Bundler<readonly BundledFile[]> = { kind: "files", make: bundleFiles, revive: withModules };

async function bundleText(options: BundleOptions): Promise<string> {
  const files = await generateChunks(options, { codeSplitting: false, comments: false });
  return files.map(({ code }) => code).join("\n");
}

async function bundleFiles(options: BundleOptions): Promise<readonly BundledFile[]> {
  const chunks = await generateChunks(options, {
    entryFileNames: "main.js",
    chunkFileNames: "[name].js",
    // Loading one file with all of fw is faster than loading a separate file for each set of modules that lazy chunks
    // share.
    codeSplitting: { groups: [{ name: "fw", test: (id) => id.startsWith(ownDirectory), tags: ["$initial"] }] },
    comments: false,
    // Keeps the names of functions and classes, as `fw dev` does. The names of errors matter most.
    keepNames: true,
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: false,
      codegen: { removeWhitespace: false },
    },
    sourcemap: true,
    // Source texts would include code that the bundle leaves out.
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => sourceName(options.root, join(map, "..", source)),
  });
  const atStart = loadedAtStart(chunks, options.startModules);
  const chunkTexts = withoutUnused(chunks).map((chunk) => ({
    chunk,
    text: withoutHelperFile(withBuiltinCalls(withoutUnusedNames(chunk.code))),
  }));
  const needsHelpers = chunkTexts.some(({ text }) => text.includes(`"./${helperFile}"`));
  const usedTexts = chunkTexts.filter(({ chunk }) => needsHelpers || chunk.fileName !== helperFile);
  const files = usedTexts.flatMap(({ chunk: { fileName, map }, text }): BundledFile[] => {
    const file = { name: fileName, text, isLoadedAtStart: atStart.has(fileName) };
    return map ? [file, { name: `${fileName}.map`, text: `${map.toString()}\n` }] : [file];
  });
  return withModules(files);
}

/** Adds to each code file a function that lists its modules according to its source map. */
function withModules(files: readonly BundledFile[]): readonly BundledFile[] {
  const texts = new Map(files.map(({ name, text }) => [name, text]));
  return files.map((file) =>
    file.isLoadedAtStart === undefined
      ? file
      : { ...file, modules: () => modulesIn(file.text, texts.get(`${file.name}.map`)) },
  );
}

async function generateChunks(options: BundleOptions, output: OutputOptions): Promise<readonly OutputChunk[]> {
  const build = await open(options);
  try {
    const { output: files } = await build.generate({ format: "esm", dir: options.root, ...output });
    options.onLoadedFiles?.(await build.watchFiles);
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
