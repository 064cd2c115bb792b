import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const compiled = join(import.meta.dirname, "dist");
/** Modules of Rolldown that parse, transform and resolve. */
const parserModules = /^rolldown\/(?:utils|experimental)$/;
// The table of character references is a separate file, because only code that decodes HTML needs it.
const references = await rolldown({ input: join(import.meta.dirname, "browser/character-references.js") });
await references.write({
  file: join(compiled, "browser/character-references.js"),
  minify: true,
  comments: false,
  banner: "/*! entities: Copyright (c) Felix Böhm, BSD-2-Clause */",
});
/**
 * Bundles the command line into a few files, because resolving, reading and linking its 500 modules one by one makes
 * each start slower.
 */
const commandLine = Object.fromEntries(["main", "io"].map((name) => [name, join(compiled, `cli/${name}.js`)]));
await bundled("bundled", commandLine, {
  external: (id) => !id.startsWith("typescript/") && isPackage(id),
  plugins: [typeScript()],
  // Modules that every command loads form one file; the rest is split by the commands that need it.
  codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] },
});
/**
 * Bundles the code that runs an application without a build, in `fw dev` and in tests, together with what applications
 * import, so that each module has a single instance in such a process. A build bundles the compiled modules themselves.
 */
await bundled("running", {
  fw: join(compiled, "declare/index.js"),
  runtime: join(compiled, "runtime/index.js"),
  testing: join(compiled, "harness/index.js"),
  load: join(compiled, "harness/load.js"),
  child: join(compiled, "dev/child/main.js"),
  register: join(compiled, "cli/test/node/register.js"),
  hooks: join(compiled, "cli/test/node/hooks.js"),
  reporter: join(compiled, "cli/test/node/reporter.js"),
});
// Services of `fw serve` load these modules from copies in the data directory, so each is a single file.
for (const [name, input] of [
  ["traces", "console/sampling/served-traces.js"],
  ["relay", "service/local/relay/listen.js"],
]) {
  const served = await rolldown({ input: join(compiled, input), platform: "node" });
  await served.write({ file: join(compiled, `served/${name}.mjs`), minify: true, comments: false });
}
// Bundles the identity provider's browser library, which services serve as one file.
const social = await rolldown({ input: join(import.meta.dirname, "browser/social.js"), platform: "browser" });
await social.write({
  file: join(import.meta.dirname, "dist/browser/social.js"),
  minify: true,
  comments: false,
  banner: "/*! @firebase/app, @firebase/auth: Copyright Google LLC, Apache-2.0 */",
});
// The console draws its charts with a library that the page loads as a file.
const charts = await rolldown({ input: join(import.meta.dirname, "browser/charts.js"), platform: "browser" });
// Chromium without a locale reports a language that its own Intl refuses, such as en-US@posix.
const validLanguage = `try { new Intl.NumberFormat(navigator.language); } catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}`;
await charts.write({
  file: join(import.meta.dirname, "dist/browser/charts.js"),
  minify: true,
  comments: false,
  banner: `/*! uPlot: Copyright (c) 2022 Leon Sorokin, MIT */\n${validLanguage}`,
});
// The console and `fw gen graph` lay out the architecture with a library, which loads only for a graph.
const layout = await rolldown({ input: join(import.meta.dirname, "browser/layout.js"), platform: "browser" });
await layout.write({
  file: join(import.meta.dirname, "dist/browser/layout.js"),
  minify: true,
  comments: false,
  banner: "/*! @dagrejs/dagre, @dagrejs/graphlib: Copyright (c) 2012-2014 Chris Pettitt, MIT */",
});
const chartLibrary = new URL(".", import.meta.resolve("uplot/package.json"));
for (const [from, to] of [
  ["dist/uPlot.min.css", "charts.css"],
  ["LICENSE", "charts-license.txt"],
])
  copyFileSync(fileURLToPath(new URL(from, chartLibrary)), join(import.meta.dirname, "dist/browser", to));
for (const [library, to] of [
  ["@dagrejs/dagre", "layout-license.txt"],
  ["entities", "character-references-license.txt"],
])
  copyFileSync(
    fileURLToPath(new URL("../LICENSE", import.meta.resolve(library))),
    join(import.meta.dirname, "dist/browser", to),
  );

/**
 * Writes a bundle and deletes other files in its directory. The names of chunks contain a hash, so that an identical
 * bundle leaves the files of a running process in place.
 */
async function bundled(name, input, { external = isPackage, plugins = [], codeSplitting = true } = {}) {
  const dir = join(compiled, name);
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => !parserModules.test(id) && external(id),
    plugins: [...plugins, parser()],
    treeshake: { moduleSideEffects: [{ test: /[\\/]node_modules[\\/]rolldown[\\/]dist[\\/]/, sideEffects: false }] },
  });
  const chunkFileNames = "[name]-[hash].js";
  const comments = { legal: true, annotation: true, jsdoc: false };
  const { output } = await bundle.write({ dir, comments, chunkFileNames, entryFileNames: "[name].js", codeSplitting });
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of readdirSync(dir)) if (!written.has(file)) rmSync(join(dir, file), { recursive: true });
}

function isPackage(id) {
  return !/^[.#]/.test(id) && !isAbsolute(id);
}

/**
 * Bundles only the parts of Rolldown's parser modules that fw uses, because these modules also import the bundler. The
 * native package depends on the platform, so its loader is not bundled.
 */
function parser() {
  const binding = "#rolldown-binding";
  let bindingFile;
  const bindingModule = () => `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const installed = createRequire(import.meta.url).resolve("rolldown/package.json");
export const { t } = await import(new URL("dist/shared/${bindingFile}", pathToFileURL(installed)).href);`;
  return {
    name: "parser",
    resolveId(id) {
      const [, file] = /\/(binding-[\w-]+\.mjs)$/.exec(id) ?? [];
      if (file === undefined) return undefined;
      bindingFile = file;
      return binding;
    },
    load: (id) => (id === binding ? bindingModule() : undefined),
    generateBundle() {
      const directory = new URL(".", import.meta.resolve("rolldown/package.json"));
      const source = ["LICENSE", "THIRD-PARTY-LICENSE"].map((name) => readFileSync(new URL(name, directory), "utf8"));
      this.emitFile({ type: "asset", fileName: "rolldown-notices.txt", source: source.join("\n") });
    },
  };
}

/**
 * Bundles TypeScript's client, because fw uses little of its 60 modules. Leaves out the code that starts the compiler
 * and communicates with it, because fw has its own.
 */
function typeScript() {
  const replaced = new Map([
    ["#getExePath", "export default undefined;"],
    [
      "#vscode-jsonrpc/node",
      `export const { createMessageConnection, RequestType, SocketMessageReader, SocketMessageWriter, StreamMessageReader, StreamMessageWriter } = {};`,
    ],
  ]);
  const installed = new URL(".", import.meta.resolve("typescript/package.json"));
  return {
    name: "typescript",
    resolveId: (id) => (replaced.has(id) ? id : undefined),
    load: (id) => replaced.get(id),
    generateBundle() {
      const source = readFileSync(new URL("NOTICE.txt", installed), "utf8");
      this.emitFile({ type: "asset", fileName: "typescript-notices.txt", source });
    },
  };
}
