// Generates web/ from the installed fw documentation: an HTML page for each guide, and a search index for the browser.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import markdownIt from "markdown-it";

const docs = join(dirname(createRequire(import.meta.url).resolve("fw/package.json")), "dist/docs");
const web = join(import.meta.dirname, "web");
const site = join(import.meta.dirname, "site");
const { pages, rules, version } = JSON.parse(readFileSync(join(docs, "reference.json"), "utf8"));

const markdown = markdownIt({ linkify: false, typographer: false });
/** The anchor of a heading, in the format of the documentation's links. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
markdown.renderer.rules.heading_open = (tokens, i) => {
  const id = anchorOf(tokens[i + 1].children.map(({ content }) => content).join(""));
  return `<${tokens[i].tag} id="${markdown.utils.escapeHtml(id)}">`;
};
markdown.renderer.rules.link_open = (tokens, i, options, _env, self) => {
  const href = tokens[i].attrGet("href");
  if (!/^https?:/.test(href)) tokens[i].attrSet("href", href.replace(/\.md(?=#|$)/, ".html"));
  return self.renderToken(tokens, i, options);
};
// Wide tables and code blocks scroll separately, also by keyboard.
markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>';
markdown.renderer.rules.table_close = () => "</table></div>";
markdown.renderer.rules.fence = (tokens, i) =>
  `<pre tabindex="0"><code class="language-${markdown.utils.escapeHtml(tokens[i].info)}">${markdown.utils.escapeHtml(tokens[i].content)}</code></pre>`;

const layout = readFileSync(join(site, "layout.html"), "utf8");
const files = new Map();
for (const name of readdirSync(site))
  if (name !== "layout.html") files.set(name, readFileSync(join(site, name), "utf8"));
const all = [...pages, ...rules.map((each) => ({ ...each, title: each.id, about: each.title }))];
for (const page of all) {
  const body = markdown.render(readFileSync(join(docs, page.path), "utf8"));
  files.set(htmlOf(page.path), document(page.title, body, page.path));
}
files.set("index.html", document("fw", home(), ""));
// The page for unknown URLs is a template of the site.
files.set(
  "templates/404.html",
  '<h1>No such page</h1><p>Search for it above, or begin at the <a href="/">start</a>.</p>',
);
files.set("templates/layout.html", document("No such page", "{{content}}", undefined));
files.set("search.json", JSON.stringify(all.flatMap(entries)));

/** The search entries of a page and its sections. */
function entries({ path, title, about }) {
  const [intro = "", ...sections] = readFileSync(join(docs, path), "utf8").split(/^## /m);
  const url = `/${htmlOf(path)}`;
  return [
    { url, title, section: "", text: `${about} ${intro}`.slice(0, 1500) },
    ...sections.map((text) => {
      const heading = text.slice(0, text.indexOf("\n")).replaceAll("`", "");
      return { url: `${url}#${anchorOf(heading)}`, title, section: heading, text: text.slice(0, 1500) };
    }),
  ];
}

function home() {
  const row = ({ path, title, about }) =>
    `<li><a href="/${htmlOf(path)}">${markdown.utils.escapeHtml(title)}</a> ${markdown.utils.escapeHtml(about)}</li>`;
  return `<h1>fw</h1>
<p>A TypeScript application framework, version ${markdown.utils.escapeHtml(version)}. Begin with <a href="/first-application.html">your first application</a>.</p>
<h2>Pages</h2>
<ul class="list">${pages.map(row).join("\n")}</ul>
<h2>Rules</h2>
<ul class="list">${rules.map(({ id, title, path }) => row({ path, title: id, about: title })).join("\n")}</ul>`;
}

function document(title, body, current) {
  const links = pages.map(({ path, title: name }) => {
    const here = path === current ? ' aria-current="page"' : "";
    return `<li><a href="/${htmlOf(path)}"${here}>${markdown.utils.escapeHtml(name)}</a></li>`;
  });
  const words = { title: markdown.utils.escapeHtml(title), body, links: links.join("\n") };
  return layout.replaceAll(/@(title|body|links)@/g, (_, word) => words[word]);
}

function htmlOf(path) {
  return path.replace(/\.md$/, ".html");
}

// Writes only changed files, so that watchers see no other changes.
for (const [name, content] of files) {
  const path = join(web, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path) || readFileSync(path, "utf8") !== content) writeFileSync(path, content);
}
for (const entry of readdirSync(web, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !files.has(path.slice(web.length + 1))) rmSync(path);
}
