import { grouped } from "../lib/grouped.ts";
import { trafficTimeoutMs } from "../lib/limits.ts";
import { namesOf } from "../lib/names.ts";
import type { App, DeclarationKey, DeclarationRef, Endpoint, Package, SiteDeclaration } from "../model/app.ts";
import type { Auth } from "../model/auth.ts";
import type { Destination } from "../model/background.ts";
import {
  allOfKind,
  endpointsOf,
  hasLivePages,
  recordedJobs,
  hasOncePages,
  keepsData,
  ofKind,
  settingsOf,
  siteOf,
} from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import { scalingOf } from "../model/scaling.ts";
import type { Schema } from "../model/schema.ts";
import { servicesIn } from "../model/services.ts";
import { wireSchemas } from "../model/wire-schemas.ts";
import { authenticatorModule, authenticatorsSpecifier } from "./authenticator-module.ts";
import { declarationsText, destinationModules, destinationsSpecifier } from "./declarations.ts";
import { destinationModule } from "./destination-module.ts";
import { documentModule, documentSchemas, documentsSpecifier } from "./document-module.ts";
import { declarationsOf, endpointModule } from "./endpoint-module.ts";
import { ImportLines, type Specifiers } from "./import-lines.ts";
import { cacheTexts } from "./text-cache.ts";
import { mcpModule, mcpServers, mcpSpecifier } from "./mcp-module.ts";
import { remoteModule, remotesSpecifier, type Remote } from "./remote-module.ts";
import { generateRoutes } from "./routes.ts";
import { text } from "./text.ts";
import { settingsText } from "./source-settings.ts";

export interface GenerateOptions extends Partial<Specifiers> {
  /** Returns the module that exports a site's compiled `templates`; undefined if it has none. */
  readonly templates?: (site: SiteDeclaration) => string | undefined;
  /**
   * Returns the module that exports the table of a site's files as `assets`; undefined to serve its directory from
   * disk.
   */
  readonly assets?: (site: SiteDeclaration) => string | undefined;
  /**
   * Returns true if the site's templates or the application's code may render Markdown. Its libraries then load before
   * the first request.
   */
  readonly markdown?: (site: SiteDeclaration) => boolean;
  /** Returns the directory that the runtime serves; by default the declared one, relative to the application's root. */
  readonly siteDir?: (site: SiteDeclaration) => string;
  /** The complete application if only a part is generated. Its runners determine the tasks of jobs. */
  readonly whole?: App;
  /** Endpoints of other services that the part calls. */
  readonly remotes?: readonly Remote[];
  /** False for a service that never reads sessions. */
  readonly readsSessions?: boolean;
  /** False for a service without code that identifies users, which needs no authenticators. */
  readonly authenticates?: boolean;
}

/** The modules that serve an application. Equal applications result in equal texts. */
export interface Generated {
  /** The module that exports the bundle (`runtime/bundle.ts`) by default. */
  readonly entry: string;
  /**
   * Texts by specifier: the entry, the routes, and modules for stored documents, remote calls, MCP servers and
   * authenticators. Also one per module with endpoints, and one per module with queues, topics or jobs.
   */
  readonly files: ReadonlyMap<string, string>;
  /** Declarations that loaders must expose (`exposeDeclarations`), by module path. */
  readonly exposed: ReadonlyMap<string, readonly string[]>;
}

const entrySpecifier = "fw:bundle";
const routesSpecifier = "fw:routes";

/** Names the generated module for an application module that declares endpoints. */
export function endpointsSpecifier(module: string): string {
  return `fw:endpoints/${module}`;
}

/** Generates an application. Keeps the texts of modules whose declarations and types are the same objects. */
export interface AppGenerator {
  (app: App): Generated;
  /** Generates the modules of endpoints one by one, so that the caller can use each while the next are generated. */
  endpointModules(app: App): Iterable<readonly [specifier: string, text: string]>;
}

/** Creates an incremental generator for an application or some of its packages. */
export function generator(options: GenerateOptions = {}): AppGenerator {
  const specifiers = {
    module: options.module ?? ((path: string) => `./${path}`),
    calls: options.calls ?? false,
  };
  const endpointTexts = cacheTexts(wireSchemas, (parts, types) => endpointModule(parts, types, specifiers));
  const destinationTexts = cacheTexts(messageSchemas, (parts, types) => destinationModule(parts, types, specifiers));
  const documentTexts = cacheTexts(documentSchemas, documentModule);
  const routesOf = routesText();
  function* moduleTexts(app: App): Iterable<readonly [string, string]> {
    for (const pkg of app.packages) {
      for (const [path, endpoints] of endpointModules(pkg))
        yield [endpointsSpecifier(path), endpointTexts(endpoints, app.types)];
    }
  }
  const generate = (app: App): Generated => {
    const files = new Map(moduleTexts(app));
    for (const pkg of app.packages) {
      for (const [path, destinations] of destinationModules(pkg))
        files.set(destinationsSpecifier(path), destinationTexts(destinations, app.types));
    }
    const stored = allOfKind(app.packages, "entity").filter(({ document }) => document !== undefined);
    if (stored.length > 0) files.set(documentsSpecifier, documentTexts(stored, app.types));
    const { remotes = [] } = options;
    if (remotes.length > 0) files.set(remotesSpecifier, remoteModule(remotes, app.types, specifiers));
    const servers = mcpServers(app.packages);
    if (servers.length > 0) files.set(mcpSpecifier, mcpModule(servers, app, remotes, specifiers));
    const authenticators = allOfKind(app.packages, "authenticator");
    const { authenticates = true } = options;
    if (authenticators.length > 0)
      files.set(authenticatorsSpecifier, authenticatorModule(authenticators, app.types, specifiers, authenticates));
    files.set(routesSpecifier, routesOf(app.packages.flatMap(endpointsOf)));
    files.set(entrySpecifier, entryText(app, specifiers, options));
    const importedRefs = [
      ...remotes.map(({ endpoint }) => endpoint.declaration),
      ...(authenticates ? authenticators.map(({ declaration }) => declaration) : []),
    ];
    return { entry: entrySpecifier, files, exposed: exposedDeclarations(app, importedRefs) };
  };
  let last: { readonly app: App; readonly markdown: boolean; readonly generated: Generated } | undefined;
  const generateChanged = (app: App): Generated => {
    const markdown = rendersMarkdown(app, options);
    if (last?.app !== app || last.markdown !== markdown) last = { app, markdown, generated: generate(app) };
    return last.generated;
  };
  return Object.assign(generateChanged, { endpointModules: moduleTexts });
}

/** True if a page of any site may render Markdown. */
function rendersMarkdown(app: App, { markdown }: GenerateOptions): boolean {
  return markdown !== undefined && allOfKind(app.packages, "site").some(markdown);
}

function endpointModules(pkg: Package): ReadonlyMap<string, readonly Endpoint[]> {
  return grouped(endpointsOf(pkg), ({ declaration }) => declaration.module);
}

function messageSchemas({ message }: Destination): readonly Schema[] {
  return [message];
}

function routesText(): (endpoints: readonly Endpoint[]) => string {
  let last: { readonly endpoints: readonly Endpoint[]; readonly text: string } | undefined;
  return (endpoints) => {
    if (last === undefined || !sameRoutes(last.endpoints, endpoints)) {
      last = { endpoints, text: generateRoutes(endpoints.map(({ route }) => route)) };
    }
    return last.text;
  };
}

function sameRoutes(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return a.length === b.length && a.every((endpoint, i) => endpoint.route.pattern === b[i]?.route.pattern);
}

function entryText(app: App, specifiers: Specifiers, options: GenerateOptions): string {
  const lines = new ImportLines(specifiers);
  const endpoints = app.packages.flatMap((pkg, index) =>
    Array.from(endpointModules(pkg), ([path, own]) => {
      const endpointsOfModule = lines.importName(endpointsSpecifier(path), "endpoints");
      return `    ...${endpointsOfModule}(${index}, [${lines.declarations(declarationsOf(own)).join(", ")}]),`;
    }),
  );
  const packages = app.packages.map((pkg) => packageText(pkg, lines, options));
  const declarations = [
    ...authText(app, options),
    ...(allOfKind(app.packages, "authenticator").length > 0
      ? [`  authenticators: ${lines.importName(authenticatorsSpecifier, "authenticators")},`]
      : []),
    ...namesText(app, "secrets", "secret"),
    ...namesText(app, "channels", "channel"),
    ...declarationsText(app, lines, options.whole ?? app),
  ];
  const settings = settingsText(app, lines);
  const others = [
    ...((options.remotes ?? []).length > 0 ? [`  remotes: ${lines.importName(remotesSpecifier, "remotes")},`] : []),
    ...(mcpServers(app.packages).length > 0 ? [`  mcpServers: ${lines.importName(mcpSpecifier, "servers")},`] : []),
  ];
  const markdown = rendersMarkdown(app, options);
  return [
    ...(app.loadOrder?.first ?? []).map((path) => `import ${text(specifiers.module(path))};`),
    `import { match } from ${text(routesSpecifier)};`,
    ...(markdown ? [`import { loadMarkdown } from "fw/runtime";`] : []),
    ...lines.lines,
    ...(markdown ? ["await loadMarkdown();"] : []),
    "export default {",
    `  app: ${text(app.name)},`,
    "  match,",
    `  methods: ${JSON.stringify(methodsOf(app))},`,
    "  endpoints: [",
    ...endpoints,
    "  ],",
    "  packages: [",
    ...packages,
    "  ],",
    ...(keepsData(app) ? ["  keepsData: true,"] : []),
    ...(app.packages.some(hasOncePages) ? ["  submits: true,"] : []),
    ...(app.packages.some(hasLivePages) ? ["  followsPages: true,"] : []),
    ...(recordedJobs(app.packages).length > 0 ? ["  recordsRuns: true,"] : []),
    ...declarations,
    ...others,
    ...settings,
    "};",
    "",
  ].join("\n");
}

function methodsOf({ packages }: App): readonly string[] {
  return [...new Set(allOfKind(packages, "api", "page", "socket").map(({ route }) => route.method))].toSorted();
}

/** Generates the providers of all Auth declarations, and the roles. */
function authText({ packages }: App, { readsSessions = true }: GenerateOptions): string[] {
  const auths = allOfKind(packages, "auth");
  if (auths.length === 0) return [];
  const social = auths.some((auth) => auth.social);
  const password = auths.some((auth) => auth.password);
  const roles = namesOf(allOfKind(packages, "role"));
  const unread = readsSessions ? "" : ", readsSessions: false";
  return [
    `  auth: { social: ${social}, password: ${password}, roles: ${JSON.stringify(roles)}${moreAuthText(auths)}${unread} },`,
  ];
}

/** Generates the settings that only some Auth declarations have. */
function moreAuthText(auths: readonly Auth[]): string {
  const flags = (["tokens", "account", "signUp"] as const).filter((name) => auths.some((auth) => auth[name]));
  const style = auths.find((auth) => auth.style !== undefined)?.style;
  return flags.map((name) => `, ${name}: true`).join("") + (style === undefined ? "" : `, style: ${text(style)}`);
}

/** Generates the property `key` with the names of all secrets or channels. */
function namesText({ packages }: App, key: string, kind: "secret" | "channel"): string[] {
  const names = namesOf(allOfKind(packages, kind));
  return names.length === 0 ? [] : [`  ${key}: ${JSON.stringify(names)},`];
}

function packageText(pkg: Package, lines: ImportLines, options: GenerateOptions): string {
  const parts = [`name: ${text(pkg.name)}`, `service: ${text(pkg.service)}`];
  const settings = settingsOf(pkg);
  if (settings !== undefined) {
    const declaration = lines.declaration(settings.declaration);
    parts.push(`settings: { declaration: ${declaration}, domain: ${text(settings.domain ?? "")} }`);
  }
  const [timeout = trafficTimeoutMs] = servicesIn(pkg).flatMap((service) => {
    return service.kind === "app" ? (scalingOf(service).traffic?.timeout ?? []) : [];
  });
  if (settings?.origins !== undefined) parts.push(`origins: ${JSON.stringify(settings.origins)}`);
  if (timeout !== trafficTimeoutMs) parts.push(`timeout: ${timeout}`);
  const site = siteOf(pkg);
  if (site !== undefined) parts.push(`site: ${siteText(site, lines, options)}`);
  const [status] = ofKind(pkg, "status");
  if (status !== undefined) parts.push(`status: ${lines.declaration(status.declaration)}`);
  const [errors] = ofKind(pkg, "errors");
  if (errors !== undefined) parts.push(`errors: ${lines.declaration(errors.declaration)}`);
  return `    { ${parts.join(", ")} },`;
}

function siteText(site: SiteDeclaration, lines: ImportLines, options: GenerateOptions): string {
  const templates = options.templates?.(site);
  const parts = [
    `declaration: ${lines.declaration(site.declaration)}`,
    `dir: ${text(options.siteDir?.(site) ?? site.dir)}`,
    `redirects: ${redirectsText(site.redirects)}`,
    `trustedHTML: ${site.trustedHTML}`,
    `templates: ${templates === undefined ? "{}" : lines.importName(templates, "templates")}`,
  ];
  const assets = options.assets?.(site);
  if (assets !== undefined) parts.push(`assets: ${lines.importName(assets, "assets")}`);
  if (site.notFound !== undefined) parts.push(`notFound: ${text(site.notFound)}`);
  if (site.fallback !== undefined) parts.push(`fallback: ${text(site.fallback)}`);
  return `{ ${parts.join(", ")} }`;
}

function redirectsText(redirects: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(redirects)
    .map(([from, to]) => `[${text(from)}]: ${text(to)}`)
    .join(", ")} }`;
}

function exposedDeclarations(app: App, others: readonly DeclarationRef[]): ReadonlyMap<string, readonly string[]> {
  const modules = grouped([...app.packages.flatMap(importedDeclarations), ...others], ({ module }) => module);
  return new Map(Array.from(modules, ([module, refs]) => [module, [...new Set(refs.map(({ variable }) => variable))]]));
}

/** Returns the declarations that generated modules import; a policy may belong to another package. */
function importedDeclarations(pkg: Package): DeclarationKey[] {
  const declarations = pkg.declarations
    .filter(({ kind }) => !descriptionOf(kind).byName)
    .map(({ declaration }) => declaration);
  return [...declarations, ...endpointsOf(pkg).flatMap(({ settings }) => settings.allow ?? [])];
}
