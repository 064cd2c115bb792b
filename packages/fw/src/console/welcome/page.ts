import type { ConsoleModel } from "../../generate/console-model.ts";
import { columns } from "../../lib/columns.ts";
import { counted } from "../../lib/counted.ts";
import { editorLink } from "../../lib/editor-link.ts";
import { escapeHTML } from "../../lib/html.ts";
import { openApiPath } from "../../runtime/routing/openapi.ts";
import { welcomeStyle } from "./style.ts";

export interface Welcome {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly model: ConsoleModel;
  /** The commands that run the tests and the checks, written for the application's package manager. */
  readonly commands: { readonly test: string; readonly check: string };
  /** The host in the client's request. */
  readonly host: string;
  /** HTML to append to the page, such as a reload script; "" for none. */
  readonly tail: string;
}

/** The number of routes to list; the page only counts the others. */
const listedRoutes = 12;

export function welcomePage(welcome: Welcome): string {
  const { root, model, commands, tail } = welcome;
  const name = escapeHTML(model.graph.app);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} is running</title>
<style>${welcomeStyle}</style>
</head>
<body>
<main>
<p class="running">Running</p>
<h1>${name}</h1>
<p class="lead">Your application is live. It has no route at <code>/</code> yet: declare one, save, and it replaces this page.</p>
<div class="grid">
<section class="wide" aria-labelledby="first">
<h2 id="first">Your first route</h2>
${firstRoute(model)}
</section>
<section aria-labelledby="runs">
<h2 id="runs">What runs</h2>
${routeTable(root, model)}
${otherDeclarations(model)}
</section>
<section aria-labelledby="next">
<h2 id="next">Next</h2>
<dl>
<dt>Console</dt><dd><a href="/_fw/console">Requests, data, logs and charts</a></dd>
<dt>API</dt><dd><a href="/_fw/${openApiPath}">OpenAPI document</a></dd>
<dt>Code</dt><dd><code>${escapeHTML(root)}</code></dd>
<dt>Tests</dt><dd><code>${escapeHTML(commands.test)}</code></dd>
<dt>Mistakes</dt><dd><code>${escapeHTML(commands.check)}</code></dd>
<dt>Documentation</dt><dd><code>npx --no fw docs first-application</code></dd>
<dt>Search it</dt><dd><code>npx --no fw docs upload a file</code></dd>
</dl>
</section>
</div>
</main>
${tail}
</body>
</html>
`;
}

/** Renders the welcome page as text for clients that do not ask for HTML, such as curl. */
export function welcomeText({ root, model, commands, host }: Welcome): string {
  const routes = columns(model.routes.map(({ method, path, at }) => [`  ${method}`, path, at]));
  return [
    `${model.graph.app} is running. It has no route at / yet: declare one, and it replaces this text.`,
    "",
    ...routes,
    "",
    `  code     ${root}`,
    `  console  http://${host}/_fw/console`,
    `  tests    ${commands.test}`,
    "  docs     npx --no fw docs first-application",
    "",
  ].join("\n");
}

function firstRoute({ graph: { services } }: ConsoleModel): string {
  const owner = services.find(({ routes }) => routes.length > 0) ?? services[0];
  const at = owner?.routes[0]?.at ?? `${owner?.package ?? "app"}/home.ts`;
  return `<p>Add this to <code>${escapeHTML(at.replace(/:\d+$/, ""))}</code>, with <code>API</code> imported from <code>"fw"</code>. Pages with templates begin with <code>Page</code> and <code>Site</code>.</p>
<pre><code>export const home = API("GET /", () =&gt; ({ hello: "world" }));</code></pre>`;
}

function routeTable(root: string, { routes }: ConsoleModel): string {
  if (routes.length === 0) return `<p class="soft">No routes yet.</p>`;
  const rows = routes.slice(0, listedRoutes).map(({ method, path, at }) => {
    const label = `<code>${escapeHTML(path)}</code>`;
    const isLink = method === "GET" && !/[{*]/.test(path);
    const link = isLink ? `<a href="${escapeHTML(path)}">${label}</a>` : label;
    return `<tr><td class="method"><code>${escapeHTML(method)}</code></td><td>${link}</td><td class="at">${sourceLink(root, at)}</td></tr>`;
  });
  const rest = routes.length - rows.length;
  return `<table>${rows.join("\n")}</table>${rest === 0 ? "" : `<p class="soft">and ${counted(rest, "more route")}</p>`}`;
}

/** Links a location such as `tasks/tasks.ts:12` to the editor. */
function sourceLink(root: string, at: string): string {
  const [, path = at, line = "1"] = /^(.+):(\d+)$/.exec(at) ?? [];
  const href = editorLink(root, { path, line: Number(line), column: 1 });
  return `<a href="${escapeHTML(href)}"><code>${escapeHTML(at)}</code></a>`;
}

/** Counts the declarations other than routes, by kind. */
function otherDeclarations({ graph: { services } }: ConsoleModel): string {
  const counts = new Map<string, number>();
  for (const service of services)
    for (const [key, rows] of Object.entries(service) as [string, unknown][])
      if (key !== "routes" && isDeclarations(rows)) counts.set(key, (counts.get(key) ?? 0) + rows.length);
  const items = [...counts].map(
    ([kind, count]) => `<li>${count} ${escapeHTML(count === 1 ? singular(kind) : kind)}</li>`,
  );
  return items.length === 0 ? "" : `<ul aria-label="Other declarations">${items.join("")}</ul>`;
}

function isDeclarations(rows: unknown): rows is readonly unknown[] {
  return Array.isArray(rows) && rows.some((row) => typeof row === "object" && row !== null && "at" in row);
}

function singular(plural: string): string {
  return plural.replace(/ies$/, "y").replace(/s$/, "");
}
