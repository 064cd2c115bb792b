// Analyzes and generates an application, and bundles it with the runtime into one file, like a deployed service.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const fw = (path) => new URL(`../../packages/fw/dist/${path}`, import.meta.url).href;

/** Bundles the application at `root` into `dir`. Its `app.mjs` exports the application's bundle and the runtime. */
export async function buildApp(root, dir) {
  const { openAnalyzer } = await import(fw("analysis/index.js"));
  const { generator } = await import(fw("generate/wiring.js"));
  const { exposeDeclarations } = await import(fw("generate/expose.js"));
  const { createTemplateCompiler } = await import(fw("generate/templates.js"));
  const { siteOf } = await import(fw("model/declarations.js"));
  const { assetTable, assetsModule } = await import(fw("generate/assets.js"));
  const analyzer = openAnalyzer(root);
  const { app, diagnostics } = await analyzer.analyze();
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics, null, 2));
  const templates = (site) => `fw:templates/${site.dir}`;
  const assets = (site) => `fw:assets/${site.dir}`;
  const generated = generator({
    module: (path) => join(root, path),
    templates,
    assets,
    siteDir: (site) => join(root, site.dir),
  })(app);
  const virtual = new Map(generated.files);
  for (const site of app.packages.map(siteOf))
    if (site) {
      virtual.set(templates(site), createTemplateCompiler()(templateFiles(join(root, site.dir))).code);
      virtual.set(assets(site), assetsModule(await assetTable(join(root, site.dir))));
    }
  virtual.set(
    "fw:main",
    `export { default as bundle } from ${JSON.stringify(generated.entry)};\nexport * from "fw/runtime";\n`,
  );
  const bundle = await rolldown({
    input: "fw:main",
    platform: "node",
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    plugins: [
      {
        name: "fw",
        resolveId: (id) => (virtual.has(id) ? id : undefined),
        load: (id) => {
          if (virtual.has(id)) return { code: virtual.get(id), moduleType: "js" };
          const exposed = generated.exposed.get(relative(root, id));
          return exposed && { code: exposeDeclarations(readFileSync(id, "utf8"), exposed), moduleType: "ts" };
        },
      },
    ],
  });
  await bundle.write({ dir, entryFileNames: "app.mjs", format: "esm" });
  await analyzer.close();
}

function templateFiles(dir) {
  const templates = join(dir, "templates");
  if (!existsSync(templates)) return [];
  const names = readdirSync(templates, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  return names.map((name) => ({ name, path: name, source: readFileSync(join(templates, name), "utf8") }));
}
