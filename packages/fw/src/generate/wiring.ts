import { grouped } from "../lib/grouped.ts";
import { trafficTimeoutMs } from "../lib/limits.ts";
import { namesOf } from "../lib/names.ts";
import type { App, DeclarationKey, DeclarationRef, Endpoint, Package, SiteDeclaration } from "../model/app.ts";
import type { Destination } from "../model/background.ts";
import { allOfKind, endpointsOf, keepsData, ofKind, settingsOf, siteOf } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import { scalingOf } from "../model/scaling.ts";
import type { Schema } from "../model/schema.ts";
import { servicesIn } from "../model/services.ts";
import { wireSchemas } from "../model/wire-schemas.ts";
import { authenticatorModule, authenticatorsSpecifier } from "./authenticator-module.ts";
import { declarationsText, destinationModules, destinationsSpecifier } from "./declarations.ts";
import { destinationModule } from "./destination-module.ts";
import { documentModule, documentSchemas, documentsSpecifier } from "./document-module.ts";
import { endpointModule } from "./endpoint-module.ts";
import { ImportLines, type Specifiers } from "./import-lines.ts";
import { knownTexts } from "./known-texts.ts";
import { remoteModule, remotesSpecifier, type Remote } from "./remote-module.ts";
import { generateRoutes } from "./routes.ts";
import { text } from "./text.ts";
import { writtenText } from "./written-settings.ts";

/** How generated modules reach what they import. */
export interface GenerateOptions extends Partial<Specifiers> {
  /** The module that exports a site's compiled `templates`; undefined where it has none. */
  readonly templates?: (site: SiteDeclaration) => string | undefined;
  /** The module that exports the table of a site's files as `assets`; undefined to serve its directory as it is. */
  readonly assets?: (site: SiteDeclaration) => string | undefined;
  /** True where the site's templates or the application's code may render markdown; its libraries are then loaded before the first request. */
  readonly markdown?: (site: SiteDeclaration) => boolean;
  /** The directory that the runtime serves; the declared one, relative to the application's root, by default. */
  readonly siteDir?: (site: SiteDeclaration) => string;
  /** The application of which only a part is generated: its runners say how many tasks a job has. */
  readonly whole?: App;
  /** Endpoints of other services that the part calls. */
  readonly remotes?: readonly Remote[];
  /** False for a service that finds out of nobody who visits. */
  readonly readsSessions?: boolean;
  /** False for a service that has no code which asks who visits, and so no code of authenticators. */
  readonly authenticates?: boolean;
}

/** The modules that serve an application. Equal applications give equal texts. */
export interface Generated {
  /** The module that exports the bundle (`runtime/bundle.ts`) by default. */
  readonly entry: string;
  /** Texts by specifier: the entry, the routes, and a module for each module with endpoints, and with queues, topics or jobs. */
  readonly files: ReadonlyMap<string, string>;
  /** Declarations that loaders must expose (`exposeDeclarations`), by module path. */
  readonly exposed: ReadonlyMap<string, readonly string[]>;
}

const entrySpecifier = "fw:bundle";
const routesSpecifier = "fw:routes";

/** The generated module beside an application's module that declares endpoints. */
export function endpointsSpecifier(module: string): string {
  return `fw:endpoints/${module}`;
}

/** A function that generates an application, or some of its packages, and keeps the texts of what did not change. */
export function generator(options: GenerateOptions = {}): (app: App) => Generated {
  const specifiers = {
    module: options.module ?? ((path: string) => `./${path}`),
    calls: options.calls ?? false,
  };
  const textOf = knownTexts(wireSchemas, (parts, types) => endpointModule(parts, types, specifiers));
  const destinationsOf = knownTexts(messageSchemas, (parts, types) => destinationModule(parts, types, specifiers));
  const documentsOf = knownTexts(documentSchemas, documentModule);
  const routesOf = routesText();
  return (app) => {
    const files = new Map<string, string>();
    for (const pkg of app.packages) {
      for (const [path, endpoints] of endpointModules(pkg))
        files.set(endpointsSpecifier(path), textOf(endpoints, app.types));
    }
    for (const pkg of app.packages) {
      for (const [path, destinations] of destinationModules(pkg))
        files.set(destinationsSpecifier(path), destinationsOf(destinations, app.types));
    }
    const stored = allOfKind(app.packages, "entity").filter(({ document }) => document !== undefined);
    if (stored.length > 0) files.set(documentsSpecifier, documentsOf(stored, app.types));
    const { remotes = [] } = options;
    if (remotes.length > 0) files.set(remotesSpecifier, remoteModule(remotes, app.types, specifiers));
    const authenticators = allOfKind(app.packages, "authenticator");
    const { authenticates = true } = options;
    if (authenticators.length > 0)
      files.set(authenticatorsSpecifier, authenticatorModule(authenticators, app.types, specifiers, authenticates));
    files.set(routesSpecifier, routesOf(app.packages.flatMap(endpointsOf)));
    files.set(entrySpecifier, entryText(app, specifiers, options));
    const imported = [
      ...remotes.map(({ endpoint }) => endpoint.declaration),
      ...(authenticates ? authenticators.map(({ declaration }) => declaration) : []),
    ];
    return { entry: entrySpecifier, files, exposed: exposedDeclarations(app, imported) };
  };
}

/** The endpoints of a package by the module that declares them, in order. */
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
    Array.from(
      endpointModules(pkg).keys(),
      (path) => `    ...${lines.named(endpointsSpecifier(path), "endpoints")}(${index}),`,
    ),
  );
  const packages = app.packages.map((pkg) => packageText(pkg, lines, options));
  const auth = [
    ...authText(app, options),
    ...(allOfKind(app.packages, "authenticator").length > 0
      ? [`  authenticators: ${lines.named(authenticatorsSpecifier, "authenticators")},`]
      : []),
  ];
  const names = [...namesText(app, "secrets", "secret"), ...namesText(app, "channels", "channel")];
  const declared = declarationsText(app, lines, options.whole ?? app);
  const written = writtenText(app, lines);
  const remotes = (options.remotes ?? []).length > 0 ? [`  remotes: ${lines.named(remotesSpecifier, "remotes")},`] : [];
  const methods = new Set(allOfKind(app.packages, "api", "page", "socket").map(({ route }) => route.method));
  const sites = allOfKind(app.packages, "site");
  const markdown = sites.some((site) => options.markdown?.(site) ?? false);
  const first = app.loadOrder?.first ?? [];
  return [
    ...first.map((path) => `import ${text(specifiers.module(path))};`),
    `import { match } from ${text(routesSpecifier)};`,
    ...(markdown ? [`import { loadMarkdown } from "fw/runtime";`] : []),
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
    ...(keepsData(app) ? ["  keepsData: true,"] : []),
    ...auth,
    ...names,
    ...declared,
    ...remotes,
    ...written,
    "};",
    "",
  ].join("\n");
}

/** The providers of any Auth, and what the application calls a role. */
function authText({ packages }: App, { readsSessions = true }: GenerateOptions): string[] {
  const auths = allOfKind(packages, "auth");
  if (auths.length === 0) return [];
  const social = auths.some((auth) => auth.social);
  const password = auths.some((auth) => auth.password);
  const roles = namesOf(allOfKind(packages, "role"));
  const tokens = auths.some((auth) => auth.tokens) ? ", tokens: true" : "";
  const unread = readsSessions ? "" : ", readsSessions: false";
  return [`  auth: { social: ${social}, password: ${password}, roles: ${JSON.stringify(roles)}${tokens}${unread} },`];
}

/** What the runtime knows of a kind by its names. */
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
  if (site.fallback !== undefined) parts.push(`fallback: ${text(site.fallback)}`);
  return `{ ${parts.join(", ")} }`;
}

function redirectsText(redirects: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(redirects)
    .map(([from, to]) => `[${text(from)}]: ${text(to)}`)
    .join(", ")} }`;
}

function exposedDeclarations(app: App, others: readonly DeclarationRef[]): ReadonlyMap<string, readonly string[]> {
  const modules = grouped([...app.packages.flatMap(imported), ...others], ({ module }) => module);
  return new Map(Array.from(modules, ([module, refs]) => [module, [...new Set(refs.map(({ variable }) => variable))]]));
}

/** What generated modules import; a policy may be one of another package. */
function imported(pkg: Package): DeclarationKey[] {
  const declared = pkg.declarations
    .filter(({ kind }) => !descriptionOf(kind).byName)
    .map(({ declaration }) => declaration);
  return [...declared, ...endpointsOf(pkg).flatMap(({ settings }) => settings.allow ?? [])];
}
