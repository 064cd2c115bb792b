import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildApp } from "../load/build-app.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The start of the private files' content, which no response may contain. */
export const fileSecret = "hunter2-file";

// Files in or next to the site that must stay private, and symbolic links to them.
const hidden = [
  ".env",
  ".git/config",
  "docs/.htaccess",
  "templates/deep/page.html",
  "../outside.txt",
  "../site-other/a.txt",
];
const links = {
  "link.txt": "../outside.txt",
  "link-root": "/",
  "link-up": "..",
  "link-env.txt": ".env",
  "link-templates": "templates",
  "link-layout.html": "templates/layout.html",
};

/** Creates a copy of the application surrounded by private files, and its bundle. */
export async function openWorkspace() {
  const root = mkdtempSync(join(tmpdir(), "fw-robustness-"));
  const app = join(root, "app");
  cpSync(path("app"), app, { recursive: true });
  mkdirSync(join(app, "node_modules"));
  symlinkSync(path("../../packages/fw"), join(app, "node_modules/fw"));
  for (const name of hidden) {
    const file = join(app, "site", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${fileSecret} ${name}`);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(app, "site", name));
  const temporary = join(root, "tmp");
  mkdirSync(temporary);
  const out = join(root, "out");
  await buildApp(app, out);
  return {
    root,
    app,
    bundle: join(out, "app.mjs"),
    temporary,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
