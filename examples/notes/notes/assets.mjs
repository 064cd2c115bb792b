// Generates web/ from site/: adds fingerprints to the names of scripts and styles, and updates the templates that refer
// to them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const site = join(import.meta.dirname, "site");
const web = join(import.meta.dirname, "web");

const assets = {
  "app.css": join(site, "app.css"),
  "app.js": join(site, "app.js"),
  "upload.js": join(site, "upload.js"),
  "htmx.js": createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"),
};

const files = new Map();
const names = {};
for (const [name, path] of Object.entries(assets)) {
  const content = readFileSync(path);
  names[name] = fingerprinted(name, content);
  files.set(names[name], content);
}
for (const name of ["icon.svg", "robots.txt"]) files.set(name, readFileSync(join(site, name)));
for (const name of readdirSync(join(site, "templates"))) {
  const text = readFileSync(join(site, "templates", name), "utf8");
  const linked = text.replaceAll(/@asset\/([\w.]+)/g, (_, asset) => `/${names[asset]}`);
  files.set(join("templates", name), Buffer.from(linked));
}

// Writes only changed files, so that watchers do not report the others.
mkdirSync(join(web, "templates"), { recursive: true });
for (const [name, content] of files) {
  const path = join(web, name);
  if (!existsSync(path) || !readFileSync(path).equals(content)) writeFileSync(path, content);
}
for (const entry of readdirSync(web, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !files.has(path.slice(web.length + 1))) rmSync(path);
}

function fingerprinted(name, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const [stem, extension] = name.split(".");
  return `${stem}.${hash}.${extension}`;
}
