// Makes web/ from site/: scripts and styles get a fingerprint in their name, and templates refer to the new names.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const site = join(import.meta.dirname, "site");
const web = join(import.meta.dirname, "web");

const sources = {
  "app.css": join(site, "app.css"),
  "app.js": join(site, "app.js"),
  "htmx.js": createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"),
};

const made = `${web}.${process.pid}`;
mkdirSync(join(made, "templates"), { recursive: true });
const names = Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, fingerprint(name, file)]));
for (const name of readdirSync(join(site, "templates"))) {
  const text = readFileSync(join(site, "templates", name), "utf8");
  writeFileSync(
    join(made, "templates", name),
    text.replaceAll(/@asset\/([\w.]+)/g, (_, asset) => `/${names[asset]}`),
  );
}
for (const name of ["icon.svg", "robots.txt"]) cpSync(join(site, name), join(made, name));
rmSync(web, { recursive: true, force: true });
cpSync(made, web, { recursive: true });
rmSync(made, { recursive: true });

function fingerprint(name, file) {
  const content = readFileSync(file);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const [stem, extension] = name.split(".");
  const fingerprinted = `${stem}.${hash}.${extension}`;
  writeFileSync(join(made, fingerprinted), content);
  return fingerprinted;
}
