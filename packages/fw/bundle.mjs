import { readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Puts what the command line loads into few files: of its 500 modules each would be looked for, read and linked by itself,
 * at every start. What applications, their tests and services import stays as it is, for all of it must have one instance.
 */
const dir = join(import.meta.dirname, "dist/bundled");
const input = Object.fromEntries(
  ["main", "io"].map((name) => [name, join(import.meta.dirname, `dist/cli/${name}.js`)]),
);
const bundle = await rolldown({
  input,
  platform: "node",
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
});
// The identity provider's own library is a file that services serve to browsers.
const social = await rolldown({ input: join(import.meta.dirname, "browser/social.js"), platform: "browser" });
await social.write({
  file: join(import.meta.dirname, "dist/browser/social.js"),
  minify: true,
  comments: false,
  banner: "/*! @firebase/app, @firebase/auth: Copyright Google LLC, Apache-2.0 */",
});

const { output } = await bundle.write({ dir, chunkFileNames: "[name]-[hash].js", entryFileNames: "[name].js" });

// Names tell their content, so that whatever runs from an equal bundle goes on.
const written = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(dir)) if (!written.has(name)) rmSync(join(dir, name), { recursive: true });
