import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { assetsModule, assetTable } from "../generate/assets.ts";
import type { Remote } from "../generate/remote-module.ts";
import { templatesSpecifier, type CompiledTemplates } from "../generate/templates.ts";
import { generator, type Generated } from "../generate/wiring.ts";
import type { AssetTable } from "../lib/asset.ts";
import { namesOf } from "../lib/names.ts";
import { socialLibrary } from "../lib/own-modules.ts";
import type { App, DeclarationKey, SiteDeclaration } from "../model/app.ts";
import { allOfKind, declarationKey, siteOf } from "../model/declarations.ts";
import { feedWithFollowedPresence, frameworkUses, keyedQueueOf, laptopUses } from "../model/framework-uses.ts";
import { callersOf, grantsOf } from "../model/grants.ts";
import { servicesOf, type Service } from "../model/services.ts";
import type { EntryUses } from "../model/uses.ts";
import { userAccess } from "../model/user-access.ts";
import { createModuleResolver, type ModuleResolver } from "../workspace/module-resolver.ts";
import { importsForEffects } from "./app-plugin.ts";
import { runtimeFilesIn } from "./runtime-files.ts";
import { capabilitiesOf, type Capabilities } from "./capabilities.ts";
import { fileBundler, textBundler, type BundledFile, type BundleOptions } from "./bundle.ts";
import { lazyModules, plainFramework, type Needs } from "./lazy-modules.ts";
import { libraryFile, mainModules, mainSpecifier, servesLibrary, startModulesOf } from "./main-module.ts";
import { usageMarkersIn } from "./usage-markers.ts";
import { siteDirectory } from "./directories.ts";
import { BundleMemo } from "./memo.ts";
import type { BuildPlatform } from "./platform.ts";
import { codeOf, entriesApp, namedElsewhere, remoteEndpoints, serviceApp } from "./service-app.ts";
import { declarationsByModule, serviceModule } from "./service-module.ts";

/** An analyzed application without problems, and the options of its build. */
export interface BuildInput {
  /** The application's directory, absolute and without links. */
  readonly root: string;
  readonly app: App;
  readonly platform: BuildPlatform;
  readonly uses: readonly EntryUses[];
  /** The text of each module, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
  readonly templates: (site: SiteDeclaration) => SiteTemplatesCode;
  /** Called with the name of each service before it is bundled. */
  readonly bundling?: (service: string) => void;
}

type SiteTemplatesCode = Pick<CompiledTemplates, "code" | "markdown" | "flash" | "languages">;

/** A bundled service before it is written to disk. */
export interface BuiltService {
  readonly service: Service;
  /** The subset of the application that the service contains: its entries and what they use. */
  readonly part: App;
  /** The reason for each runtime capability that the service has. */
  readonly capabilities: Capabilities;
  readonly files: readonly BundledFile[];
  readonly assets: AssetTable;
  /** Files and directories of the application that its code reads, by path relative to the root. */
  readonly runtimeFiles: readonly string[];
}

interface Build extends BuildInput {
  readonly services: readonly Service[];
  readonly memo: BundleMemo;
  readonly resolver: ModuleResolver;
  /** Side-effect imports, from `importsForEffects`. */
  readonly effects: ReadonlyMap<string, string>;
}

/** Thrown if a service cannot be bundled. The message is the reason. */
export class BundleError extends Error {}

/**
 * Builds every service of an application. Given the memo of an earlier build, bundles only what has changed. Rejects
 * with a BundleError.
 */
export async function buildServices(
  input: BuildInput,
  memo: BundleMemo = new BundleMemo(),
): Promise<readonly BuiltService[]> {
  const services = servicesOf(input.app);
  const resolver = createModuleResolver(input.root);
  const build: Build = { ...input, services, memo, resolver, effects: importsForEffects(input.sources) };
  const built: BuiltService[] = [];
  for (const service of services) {
    input.bundling?.(service.name);
    try {
      built.push(await buildService(build, service));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BundleError(`cannot bundle the service ${service.name}: ${why}`, { cause: error });
    }
  }
  return built;
}

/** Finds out what the service's entries use, then bundles exactly that with its wiring. */
async function buildService(build: Build, service: Service): Promise<BuiltService> {
  const site = service.kind === "app" ? siteOf(service.package) : undefined;
  const assets = site === undefined ? {} : await assetTable(join(build.root, site.dir));
  const own: ServiceFacts = { service, site, assets };
  const marks = await reachEntries(build, own);
  const wired = wireService(build, own, marks);
  const files = await bundleService(build, service, wired);
  const { part, capabilities } = wired;
  return { service, part, capabilities, assets, runtimeFiles: runtimeFilesIn(marks), files };
}

/**
 * Bundles only the entries, with a marker in each declaration and file. Returns the markers of everything that the
 * entries use, and the names of the matching `codeMarks`.
 */
async function reachEntries(build: Build, own: ServiceFacts): Promise<ReadonlySet<string>> {
  const { service } = own;
  const entries = entriesApp(build.app, service, userAccess(build.app, service, build.uses).authenticators);
  const generated = generate(build, { ...own, part: entries, remotes: [] });
  const options = bundleOptions(build, service, { ...generated, mark: true });
  const text = await build.memo.once(`${build.platform} ${service.name} alone`, options, textBundler);
  const marks = usageMarkersIn(text);
  const found = Object.entries(codeMarks).filter(([, pattern]) => pattern.test(text));
  return new Set([...marks, ...found.map(([mark]) => mark)]);
}

/**
 * Patterns of uses that no declaration shows, by usage marker: code that may leave flash messages, and code that may
 * send requests. The latter includes imports of packages outside the bundle, but not of fw's own modules, which have
 * absolute paths.
 */
const codeMarks = {
  flash: /\bflash\b/,
  outgoing:
    /\bfetch\b|["'](?:node:)?https?["']|\b(?:createRequire|getBuiltinModule|require)\b|\bimport\(|\bfrom ?["'](?!node:|\/)/,
} as const;

interface WiredService {
  readonly part: App;
  readonly capabilities: Capabilities;
  /** The wiring and the modules that start the service's process. */
  readonly generated: Generated;
}

/** Generates the wiring and the main module for the part of the application that the entries use. */
function wireService(build: Build, own: ServiceFacts, marks: ReadonlySet<string>): WiredService {
  const { services, uses } = build;
  const { service } = own;
  const { part, referred, ruledRef } = partOf(build, service, marks);
  const remotes = remoteEndpoints(services, service, marks);
  const callers = callersOf(service, services, uses);
  const wiring = generate(build, { ...own, part, remotes });
  const capabilities = capabilitiesOf({
    part,
    callers,
    remotes,
    flash: siteWithFlash(build, part, marks),
    languages: allOfKind(part.packages, "site").find((site) => build.templates(site).languages),
    transacts: transactingEntry(build, service),
    referred,
    ruledRef,
    keyedQueue: keyedQueueOf(service, uses),
    followedFeed: feedWithFollowedPresence(service, uses),
    sendsRequests: marks.has("outgoing"),
  });
  return {
    part,
    capabilities,
    generated: withMainModules(build, { service, part, capabilities, callers, marks, wiring }),
  };
}

interface WiringParts extends Pick<WiredService, "part" | "capabilities"> {
  readonly service: Service;
  readonly callers: readonly string[];
  readonly marks: ReadonlySet<string>;
  readonly wiring: Generated;
}

/** Adds the modules that start the service's process to its wiring. */
function withMainModules(
  { app, platform, uses }: Build,
  { service, part, capabilities, callers, marks, wiring }: WiringParts,
): Generated {
  const main = mainModules({
    name: service.name,
    platform,
    bundle: wiring.entry,
    part,
    capabilities,
    tells: namesOf(frameworkUses(app, service, uses).filter(({ kind }) => kind === "event")),
    callers,
    elsewhere: namedElsewhere(app, part, marks),
  });
  return { ...wiring, entry: mainSpecifier, files: new Map([...wiring.files, ...main]) };
}

/**
 * Returns the part of the application that a service contains, including entities that references and `onDelete` rules
 * require, and buckets whose signed URLs it serves. `referred` and `ruledRef` name the first entity with such a
 * reference or rule.
 */
function partOf(
  { app, platform, uses }: Build,
  service: Service,
  marks: ReadonlySet<string>,
): { readonly part: App; readonly referred: string | undefined; readonly ruledRef: string | undefined } {
  const { keys, first } = referredEntities(app, service, uses);
  const ruled = ruledEntities(app, service, uses);
  const answered = platform === "local" ? answeredBuckets(app, service, uses) : [];
  const part = serviceApp(app, service, new Set([...marks, ...keys, ...ruled.keys, ...answered]));
  return { part, referred: first, ruledRef: ruled.first };
}

/** Returns the keys of the buckets whose signed URLs this service serves on behalf of all services. */
function answeredBuckets(app: App, service: Service, uses: readonly EntryUses[]): readonly string[] {
  const names = namesOf(laptopUses(app, service, uses).filter(({ kind }) => kind === "bucket"));
  return allOfKind(app.packages, "bucket")
    .filter(({ name }) => names.includes(name))
    .map(({ declaration }) => declarationKey(declaration));
}

/**
 * Returns the keys of the entities that the code reads through references, and the name of the first entity with such a
 * reference.
 */
function referredEntities(
  { packages }: App,
  service: Service,
  uses: readonly EntryUses[],
): { readonly keys: readonly string[]; readonly first: string | undefined } {
  const grants = grantsOf(service, uses).filter(({ kind }) => kind === "entity");
  const readNames = new Set(grants.filter(({ operations }) => operations.includes("getMany")).map(({ name }) => name));
  const names = new Set(grants.map(({ name }) => name));
  const entities = allOfKind(packages, "entity");
  const referring = entities.filter(
    ({ name, refs = [] }) => names.has(name) && refs.some(({ entity }) => readNames.has(entity)),
  );
  const referred = new Set(referring.flatMap(({ refs = [] }) => refs.map(({ entity }) => entity)));
  return {
    keys: entities
      .filter(({ name }) => readNames.has(name) && referred.has(name))
      .map(({ declaration }) => declarationKey(declaration)),
    first: referring[0]?.name,
  };
}

/**
 * Returns the keys of the entities that the service's writes and deletes check or change because of `onDelete` rules,
 * and the name of the first entity that has such a rule.
 */
function ruledEntities(
  { packages }: App,
  service: Service,
  uses: readonly EntryUses[],
): { readonly keys: readonly string[]; readonly first: string | undefined } {
  const grants = grantsOf(service, uses).filter(({ kind, operations }) => {
    return kind === "entity" && operations.some((each) => ["create", "put", "update", "delete"].includes(each));
  });
  const writes = new Set(grants.map(({ name }) => name));
  const entities = allOfKind(packages, "entity");
  const ruledPairs = entities.flatMap(({ name, refs = [] }) =>
    refs.filter(({ onDelete }) => onDelete !== undefined).map(({ entity }) => [name, entity] as const),
  );
  const linkedPairs = ruledPairs.filter((pair) => pair.some((name) => writes.has(name)));
  const names = new Set(linkedPairs.flat());
  return {
    keys: entities.filter(({ name }) => names.has(name)).map(({ declaration }) => declarationKey(declaration)),
    first: linkedPairs[0]?.[0],
  };
}

function transactingEntry({ uses }: Build, { entries }: Service): DeclarationKey | undefined {
  const own = new Set(entries.map(declarationKey));
  return uses.find((entry) => entry.transacts && own.has(declarationKey(entry)));
}

/**
 * Finds a site that shows flash messages: any site if the service's code may leave messages, otherwise a site in
 * `part`.
 */
function siteWithFlash({ app, templates }: Build, part: App, marks: ReadonlySet<string>): SiteDeclaration | undefined {
  const { packages } = marks.has("flash") ? app : part;
  return allOfKind(packages, "site").find((site) => templates(site).flash);
}

async function bundleService(
  build: Build,
  service: Service,
  { part, capabilities, generated }: WiredService,
): Promise<readonly BundledFile[]> {
  const markdown = allOfKind(part.packages, "site").some((site) => build.templates(site).markdown);
  const needs = { markdown, capabilities };
  const options = bundleOptions(build, service, { ...generated, mark: false, needs });
  const files = await build.memo.once(`${build.platform} ${service.name}`, options, fileBundler);
  return servesLibrary(build.platform, part) ? [...files, socialFile()] : files;
}

function socialFile(): BundledFile {
  return { name: libraryFile, text: readFileSync(socialLibrary, "utf8") };
}

interface ServiceFacts {
  readonly service: Service;
  readonly site: SiteDeclaration | undefined;
  readonly assets: AssetTable;
}

/** A service, its subset of the application, and the endpoints of other services that it calls. */
interface ServicePart extends ServiceFacts {
  readonly part: App;
  readonly remotes: readonly Remote[];
}

function generate(
  { root, app, uses, templates }: BuildInput,
  { service, part, site: own, assets, remotes }: ServicePart,
): Generated {
  const { sessions, authenticators } = userAccess(app, service, uses);
  const generated = generator({
    module: (path) => join(root, path),
    whole: app,
    remotes,
    readsSessions: sessions,
    authenticates: authenticators,
    siteDir: () => siteDirectory,
    templates: templatesSpecifier,
    assets: assetsSpecifier,
  })(part);
  const sites = allOfKind(part.packages, "site");
  const files = sites.flatMap((site): [string, string][] => [
    [templatesSpecifier(site), templates(site).code],
    [assetsSpecifier(site), assetsModule(site === own ? assets : {})],
  ]);
  return { ...generated, files: new Map([...generated.files, ...files]) };
}

function bundleOptions(
  { root, app, platform, sources, resolver, effects, uses }: Build,
  service: Service,
  { entry, files, exposed, mark, needs }: Generated & { readonly mark: boolean; readonly needs?: Needs },
): BundleOptions {
  const declarations = declarationsByModule(app);
  const code = codeOf(app, service, userAccess(app, service, uses).authenticators);
  const { replacedModules: replaced, separateChunks, added } = needs ? lazyModules(needs) : plainFramework;
  return {
    root,
    resolver,
    startModules: startModulesOf(platform, needs?.capabilities),
    externalFramework: mark,
    entry,
    replacedModules: replaced,
    separateChunks,
    generated: new Map([...files, ...added]),
    sources,
    effects,
    prepare: (path, text) =>
      serviceModule(path, text, declarations.get(path) ?? [], {
        code,
        mark,
        exposed: exposed.get(path) ?? [],
        loads: (app.loadOrder?.imports[path] ?? []).map((loaded) => specifierFrom(path, loaded)),
      }),
  };
}

/** Returns the specifier for an import of `path` by `importer`. Both are relative to the root. */
function specifierFrom(importer: string, path: string): string {
  const way = posix.relative(posix.dirname(importer), path);
  return way.startsWith(".") ? way : `./${way}`;
}

function assetsSpecifier(site: SiteDeclaration): string {
  return `fw:assets/${site.dir}`;
}
