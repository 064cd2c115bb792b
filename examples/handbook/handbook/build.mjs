// Generates web/ from the installed fw documentation: an HTML page for each guide and rule, and a search index.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import markdownIt from "markdown-it";
import { highlight } from "./highlight.mjs";

const compiled = join(dirname(createRequire(import.meta.url).resolve("fw/package.json")), "dist");
const docs = join(compiled, "docs");
const web = join(import.meta.dirname, "web");
const site = join(import.meta.dirname, "site");
const { groups, pages, rules, version } = JSON.parse(readFileSync(join(docs, "reference.json"), "utf8"));

const markdown = markdownIt({ linkify: false, typographer: false });
const escape = markdown.utils.escapeHtml;
/** Returns the anchor of a heading, in the format that the documentation's links use. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
const headingText = (inline) => inline.children.map(({ content }) => content).join("");
markdown.renderer.rules.heading_open = (tokens, i) =>
  `<${tokens[i].tag} id="${escape(anchorOf(headingText(tokens[i + 1])))}">`;
markdown.renderer.rules.link_open = (tokens, i, options, { path }, self) => {
  const href = tokens[i].attrGet("href");
  if (!/^(?:https?:|#)/.test(href)) tokens[i].attrSet("href", addressOf(href, path));
  return self.renderToken(tokens, i, options);
};
// Wide tables and code blocks scroll separately, with the keyboard as well.
markdown.renderer.rules.table_open = (_tokens, _i, _options, env) => {
  const number = Number(env.tables ?? 0) + 1;
  env.tables = number;
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${number}"><table>`;
};
markdown.renderer.rules.table_close = () => "</table></div>";
// An empty header cell names no column, so it is an ordinary cell.
markdown.renderer.rules.th_open = (tokens, i) => (tokens[i + 1].content === "" ? "<td>" : "<th>");
markdown.renderer.rules.th_close = (tokens, i) => (tokens[i - 1].content === "" ? "</td>" : "</th>");
markdown.renderer.rules.fence = (tokens, i) =>
  `<pre tabindex="0"><code>${highlight(tokens[i].content, tokens[i].info)}</code></pre>`;

/** All pages with their URLs, in reading order. */
const all = groups
  .flatMap(({ pages: paths }) => paths.map((path) => pages.find((page) => page.path === path)))
  .concat(rules.map((rule) => ({ ...rule, title: rule.id, about: rule.title })))
  .map((page) => ({ ...page, url: addressOf(page.path, "") }));

const layout = readFileSync(join(site, "layout.html"), "utf8");
const files = new Map();
for (const name of readdirSync(site))
  if (!["layout.html", "home.html"].includes(name)) files.set(name, readFileSync(join(site, name), "utf8"));
for (const [i, page] of all.entries()) {
  const text = readFileSync(join(docs, page.path), "utf8");
  files.set(`${page.url.slice(1)}index.html`, document(page, articleOf(page, text, all[i - 1], all[i + 1])));
}
files.set("index.html", document({ title: "fw", url: "/" }, home()));
// The page for unknown URLs is a template, which the site renders.
files.set(
  "templates/404.html",
  '<article><h1>No such page</h1><p>Search for it above, or begin at the <a href="/">start</a>.</p></article>',
);
files.set("templates/layout.html", document({ title: "No such page" }, "{{content}}"));
files.set("search.json", JSON.stringify(all.flatMap(entries)));
// The site ranks results and corrects words like `fw docs` does.
for (const module of ["cli/docs/rank.js", "lib/suggest.js"])
  files.set(basename(module), readFileSync(join(compiled, module), "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, ""));

/**
 * Returns the URL of a documentation file that a page links to: `/docs/queue/#retries` for `queue.md#retries`. The
 * guides are not at the root, because a site serves nothing below `templates/`.
 */
function addressOf(href, from) {
  const { pathname, hash } = new URL(href, `file:///${from}`);
  return `/docs${pathname.replace(/\.md$/, "/")}${hash}`;
}

/** Renders a page with a table of contents and links to the previous and next pages. */
function articleOf({ path, title }, text, before, after) {
  const tokens = markdown.parse(text.replace(/^# .*\n/, ""), {});
  const sections = tokens.flatMap((token, i) => {
    if (token.type !== "heading_open" || token.tag !== "h2") return [];
    const heading = headingText(tokens[i + 1]);
    return [`<li><a href="#${escape(anchorOf(heading))}">${escape(heading)}</a></li>`];
  });
  const body = markdown.renderer.render(tokens, markdown.options, { path });
  const step = (page, rel, label) =>
    page === undefined ? "" : `<a rel="${rel}" href="${page.url}"><span>${label}</span> ${escape(page.title)}</a>`;
  return `<article><h1 id="${escape(anchorOf(title))}">${escape(title)}</h1>${body}
<nav class="steps" aria-label="Previous and next">${step(before, "prev", "Previous")}${step(after, "next", "Next")}</nav></article>
${sections.length < 2 ? "" : `<aside aria-labelledby="toc"><h2 id="toc">On this page</h2><ul>${sections.join("")}</ul></aside>`}`;
}

/** Returns the search entries of a page and its sections. */
function entries({ path, title, about, words, url }) {
  const [intro = "", ...sections] = readFileSync(join(docs, path), "utf8").split(/^## /m);
  return [
    { url, title, section: "", about, words, text: plainText(intro.replace(/^# .*\n/, "")) },
    ...sections.map((text) => {
      const heading = text.slice(0, text.indexOf("\n")).replaceAll("`", "");
      return {
        url: `${url}#${anchorOf(heading)}`,
        title,
        section: heading,
        text: plainText(text.slice(text.indexOf("\n"))),
      };
    }),
  ];
}

/** Returns the start of a section as plain text, without Markdown. */
function plainText(text) {
  const words = text
    .replaceAll(/^```.*$|^[|: -]+$/gm, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|#]/g, " ");
  return words.replaceAll(/\s+/g, " ").trim().slice(0, 1500);
}

/** Returns a page's summary without the leading names, which repeat its title. */
function summary({ title, about }) {
  return about.startsWith(title) ? about.replace(/^[^:]*: /, "") : about;
}

/** Renders the start page: what fw is, then every page by group. */
function home() {
  const card = ({ title, pages: paths }) => {
    const rows = all.filter(({ path }) => paths.includes(path));
    return `<section><h2>${escape(title)}</h2><ul class="cards">${rows.map(row).join("")}</ul></section>`;
  };
  const row = (page) =>
    `<li><a href="${page.url}">${escape(page.title)}</a> <span>${escape(summary(page))}</span></li>`;
  const words = { version: escape(version), groups: groups.map(card).join("\n") };
  return readFileSync(join(site, "home.html"), "utf8")
    .replaceAll(/@(version|groups)@/g, (_, word) => words[word])
    .replaceAll(/<pre data-language="(\w+)">([\s\S]*?)<\/pre>/g, (_, language, code) => {
      return `<pre tabindex="0"><code>${highlight(code.trim(), language)}</code></pre>`;
    });
}

function document({ title, url }, body) {
  const link = (page) => {
    const here = page.url === url ? ' aria-current="page"' : "";
    return `<li><a href="${page.url}"${here}>${escape(page.title)}</a></li>`;
  };
  const list = (group) =>
    `<h2>${escape(group.title)}</h2><ul>${all
      .filter(({ path }) => group.pages.includes(path))
      .map(link)
      .join("")}</ul>`;
  const words = {
    title: escape(title === "fw" ? "fw: a TypeScript application framework" : `${title} · fw`),
    body,
    links: groups.map(list).join("\n"),
    kind: url === "/" ? "home" : "page",
  };
  return layout.replaceAll(/@(title|body|links|kind)@/g, (_, word) => words[word]);
}

// Writes only changed files, so that watchers do not report the others.
for (const [name, content] of files) {
  const path = join(web, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path) || readFileSync(path, "utf8") !== content) writeFileSync(path, content);
}
for (const entry of readdirSync(web, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !files.has(path.slice(web.length + 1))) rmSync(path);
}
