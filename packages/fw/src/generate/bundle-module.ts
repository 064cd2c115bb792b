import { namesOf } from "../lib/names.ts";
import type { App, Package, SiteDeclaration } from "../model/app.ts";
import { backgroundText } from "./background.ts";
import { endpointModules, endpointsSpecifier, type Specifiers } from "./endpoint-module.ts";
import { ImportLines } from "./import-lines.ts";
import type { GenerateOptions } from "./options.ts";
import { remotesSpecifier } from "./remote-module.ts";
import { routesSpecifier } from "./routes.ts";
import { text } from "./text.ts";

/** The module that exports the bundle (`runtime/bundle.ts`) by default. */
export function bundleModule(app: App, specifiers: Specifiers, options: GenerateOptions): string {
  const lines = new ImportLines(specifiers);
  const endpoints = app.packages.flatMap((part, index) =>
    endpointModules(part).map(({ path }) => `    ...${lines.named(endpointsSpecifier(path), "endpoints")}(${index}),`),
  );
  const packages = app.packages.map((part) => packageText(part, lines, options));
  const entities = entitiesText(app, lines);
  const auth = authText(app);
  const secrets = secretsText(app);
  const background = backgroundText(app, lines, options.whole ?? app);
  const remotes = (options.remotes ?? []).length > 0 ? [`  remotes: ${lines.named(remotesSpecifier, "remotes")},`] : [];
  const methods = new Set(app.packages.flatMap((part) => part.endpoints.map((endpoint) => endpoint.route.method)));
  const sites = app.packages.flatMap(({ site }) => site ?? []);
  const markdown = sites.some((site) => options.markdown?.(site) ?? false);
  return [
    `import { match } from ${text(routesSpecifier)};`,
    ...(markdown ? [`import { loadMarkdown } from ${text(specifiers.runtime)};`] : []),
    ...lines.lines,
    ...(markdown ? ["await loadMarkdown();"] : []),
    "export default {",
    `  app: ${text(app.name)},`,
    "  match,",
    `  methods: ${JSON.stringify([...methods].toSorted())},`,
    "  endpoints: [",
    ...endpoints,
    "  ],",
    "  packages: [",
    ...packages,
    "  ],",
    ...auth,
    ...secrets,
    ...entities,
    ...background,
    ...remotes,
    "};",
    "",
  ].join("\n");
}

/** The providers of any Auth, and what the application calls a role. */
function authText({ packages }: App): string[] {
  const auths = packages.flatMap((part) => part.auths ?? []);
  if (auths.length === 0) return [];
  const social = auths.some((auth) => auth.social);
  const password = auths.some((auth) => auth.password);
  const roles = namesOf(packages.flatMap((part) => part.roles ?? []));
  return [`  auth: { social: ${social}, password: ${password}, roles: ${JSON.stringify(roles)} },`];
}

function secretsText({ packages }: App): string[] {
  const secrets = namesOf(packages.flatMap((part) => part.secrets ?? []));
  return secrets.length === 0 ? [] : [`  secrets: ${JSON.stringify(secrets)},`];
}

/** Every entity with its own composite indexes. */
function entitiesText({ packages, indexes = [] }: App, lines: ImportLines): string[] {
  const entities = packages.flatMap((part) => part.entities ?? []);
  if (entities.length === 0) return [];
  const rows = entities.map(({ declaration, name, id, indexed, transient }) => {
    const own = indexes.filter(({ entity }) => entity === name).map(({ fields }) => fields);
    const facts = [
      ["name", name],
      ["id", id],
      ["indexed", indexed],
      ["transient", transient],
      ["indexes", own],
    ] as const;
    const data = facts.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `    { declaration: ${lines.declaration(declaration)}, ${data.join(", ")} },`;
  });
  return ["  entities: [", ...rows, "  ],"];
}

function packageText(part: Package, lines: ImportLines, options: GenerateOptions): string {
  const parts = [`name: ${text(part.name)}`, `service: ${text(part.service)}`];
  if (part.settings !== undefined) {
    const declaration = lines.declaration(part.settings.declaration);
    parts.push(`settings: { declaration: ${declaration}, domain: ${text(part.settings.domain ?? "")} }`);
  }
  if (part.site !== undefined) parts.push(`site: ${siteText(part.site, lines, options)}`);
  if (part.status !== undefined) parts.push(`status: ${lines.declaration(part.status)}`);
  return `    { ${parts.join(", ")} },`;
}

function siteText(site: SiteDeclaration, lines: ImportLines, options: GenerateOptions): string {
  const templates = options.templates?.(site);
  const parts = [
    `declaration: ${lines.declaration(site.declaration)}`,
    `dir: ${text(options.siteDir?.(site) ?? site.dir)}`,
    `redirects: ${redirectsText(site.redirects)}`,
    `trustedHTML: ${site.trustedHTML}`,
    `templates: ${templates === undefined ? "{}" : lines.named(templates, "templates")}`,
  ];
  const assets = options.assets?.(site);
  if (assets !== undefined) parts.push(`assets: ${lines.named(assets, "assets")}`);
  if (site.notFound !== undefined) parts.push(`notFound: ${text(site.notFound)}`);
  return `{ ${parts.join(", ")} }`;
}

function redirectsText(redirects: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(redirects)
    .map(([from, to]) => `[${text(from)}]: ${text(to)}`)
    .join(", ")} }`;
}
