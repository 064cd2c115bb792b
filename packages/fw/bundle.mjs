import { readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Puts what the command line loads into few files: of its 500 modules each would be looked for, read and linked by itself,
 * at every start. What applications, their tests and services import stays as it is, for all of it must have one instance.
 */
const compiled = join(import.meta.dirname, "dist");
const dir = join(compiled, "bundled");
const input = Object.fromEntries(["main", "io"].map((name) => [name, join(compiled, `cli/${name}.js`)]));
const bundle = await rolldown({
  input,
  platform: "node",
  external: (id) => !/^[.#]|^typescript\//.test(id) && !isAbsolute(id),
  plugins: [typeScript()],
});
// The identity provider's own library is a file that services serve to browsers.
const social = await rolldown({ input: join(import.meta.dirname, "browser/social.js"), platform: "browser" });
await social.write({
  file: join(import.meta.dirname, "dist/browser/social.js"),
  minify: true,
  comments: false,
  banner: "/*! @firebase/app, @firebase/auth: Copyright Google LLC, Apache-2.0 */",
});

const { output } = await bundle.write({
  dir,
  chunkFileNames: "[name]-[hash].js",
  entryFileNames: "[name].js",
  // What every command is loaded with is one file; the rest is split by which commands need it.
  codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] },
});

// Names tell their content, so that whatever runs from an equal bundle goes on.
const written = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(dir)) if (!written.has(name)) rmSync(join(dir, name), { recursive: true });

/**
 * TypeScript's client is some 60 modules, of which little is used: it comes along. It finds the compiler from where TypeScript is
 * installed, which it asks there.
 */
function typeScript() {
  const exePath = "#getExePath";
  const asked = `
const { href } = new URL("lib/getExePath.js", import.meta.resolve("typescript/package.json"));
export default (await import(href)).default;`;
  const installed = new URL(".", import.meta.resolve("typescript/package.json"));
  const notices = ["NOTICE.txt", "vendor/vscode-jsonrpc/License.txt"];
  return {
    name: "typescript",
    resolveId: (id) => (id === exePath ? id : undefined),
    load: (id) => (id === exePath ? asked : undefined),
    generateBundle() {
      const source = notices.map((name) => readFileSync(new URL(name, installed), "utf8")).join("\n");
      this.emitFile({ type: "asset", fileName: "typescript-notices.txt", source });
    },
  };
}
