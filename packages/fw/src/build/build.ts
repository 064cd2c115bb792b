import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { assetsModule, assetTable } from "../generate/assets.ts";
import type { Remote } from "../generate/remote-module.ts";
import { templatesSpecifier } from "../generate/templates.ts";
import { generator, type Generated } from "../generate/wiring.ts";
import type { AssetTable } from "../lib/asset.ts";
import { namesOf } from "../lib/names.ts";
import { socialLibrary } from "../lib/own-modules.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import { allOfKind, siteOf } from "../model/declarations.ts";
import { frameworkUses } from "../model/framework-uses.ts";
import { callersOf } from "../model/grants.ts";
import { servicesOf, type Service } from "../model/services.ts";
import type { EntryUses } from "../model/uses.ts";
import { userAccess } from "../model/user-access.ts";
import { createModuleResolver, type ModuleResolver } from "../workspace/module-resolver.ts";
import { importsForEffects } from "./app-plugin.ts";
import { runtimeFilesIn } from "./runtime-files.ts";
import { capabilitiesOf, type Capabilities } from "./capabilities.ts";
import { bundleFiles, bundleText, type BundledFile, type BundleOptions } from "./bundle.ts";
import { lazyModules, plainFramework, type Needs } from "./lazy-modules.ts";
import { libraryFile, mainModules, mainSpecifier, servesLibrary, startModulesOf } from "./main-module.ts";
import { usageMarkersIn } from "./usage-markers.ts";
import { siteDirectory } from "./places.ts";
import { BundleMemo } from "./memo.ts";
import type { BuildPlatform } from "./platform.ts";
import { codeOf, entriesApp, namedElsewhere, remoteEndpoints, serviceApp } from "./service-app.ts";
import { declarationsByModule, serviceModule } from "./service-module.ts";

/** A sound application, as it was analysed. */
export interface BuildInput {
  /** The application's directory, absolute, without links. */
  readonly root: string;
  readonly app: App;
  readonly platform: BuildPlatform;
  /** What the code of each entry uses. */
  readonly uses: readonly EntryUses[];
  /** The text of each module, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
  /** The compiled templates of a site, and whether a page of it may render markdown. */
  readonly templates: (site: SiteDeclaration) => { readonly code: string; readonly markdown: boolean };
}

/** A service, ready to be written. */
export interface BuiltService {
  readonly service: Service;
  /** What of the application it has: its entries and what they use. */
  readonly part: App;
  /** Why it has each capability of the runtime. */
  readonly capabilities: Capabilities;
  readonly files: readonly BundledFile[];
  /** The files of its site. */
  readonly assets: AssetTable;
  /** Files and directories of the application that its code reads, by path relative to the root. */
  readonly runtimeFiles: readonly string[];
}

/** What the builds of all services of an application need. */
interface Build extends BuildInput {
  readonly services: readonly Service[];
  readonly memo: BundleMemo;
  readonly resolver: ModuleResolver;
  /** As of `importsForEffects`. */
  readonly effects: ReadonlyMap<string, string>;
}

/** A service that cannot be bundled; the message says why. */
export class BundleError extends Error {}

/**
 * Builds every service of an application; with the memo of an earlier build only the bundles that are made of something
 * else now. Rejects with a BundleError.
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
    try {
      built.push(await buildService(build, service));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BundleError(`the service ${service.name} cannot be bundled: ${why}`, { cause: error });
    }
  }
  return built;
}

/** First what the service's entries use is found in a bundle of them alone, then that is bundled with its wiring. */
async function buildService(build: Build, service: Service): Promise<BuiltService> {
  const { app, root, platform, services, memo, uses } = build;
  const site = service.kind === "app" ? siteOf(service.package) : undefined;
  const assets = site === undefined ? {} : await assetTable(join(root, site.dir));
  const own = { service, site, assets };
  const first = entriesApp(app, service, userAccess(app, service, uses).authenticators);
  const entries = generate(build, { ...own, part: first, remotes: [] });
  const alone = bundleOptions(build, service, { ...entries, mark: true });
  const reached = usageMarkersIn(await memo.once(`${service.name} alone`, alone, bundleText));
  const part = serviceApp(app, service, reached);
  const remotes = remoteEndpoints(services, service, reached);
  const generated = generate(build, { ...own, part, remotes });
  const elsewhere = namedElsewhere(app, part, reached);
  const tells = namesOf(frameworkUses(app, service, build.uses).filter(({ kind }) => kind === "event"));
  const callers = callersOf(service, services, uses);
  const main = mainModules({ name: service.name, platform, bundle: generated.entry, part, tells, callers, elsewhere });
  const whole = { ...generated, entry: mainSpecifier, files: new Map([...generated.files, ...main]) };
  const markdown = allOfKind(part.packages, "site").some((used) => build.templates(used).markdown);
  const capabilities = capabilitiesOf({ part, callers, remotes });
  const final = { ...whole, mark: false, needs: { markdown, capabilities } };
  const files = await memo.once(service.name, bundleOptions(build, service, final), bundleFiles);
  const all = servesLibrary(platform, part) ? [...files, socialFile()] : files;
  return { service, part, capabilities, assets, runtimeFiles: runtimeFilesIn(reached), files: all };
}

function socialFile(): BundledFile {
  return { name: libraryFile, text: readFileSync(socialLibrary, "utf8") };
}

/** A part of the application as a service has it. */
interface ServicePart {
  readonly service: Service;
  readonly part: App;
  readonly site: SiteDeclaration | undefined;
  readonly assets: AssetTable;
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
  const { replaced, separateChunks, added } = needs ? lazyModules(needs) : plainFramework;
  return {
    root,
    resolver,
    startModules: startModulesOf(platform),
    externalFramework: mark,
    entry,
    replaced,
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

/** How one module of the application names another; both paths are relative to the root. */
function specifierFrom(importer: string, path: string): string {
  const way = posix.relative(posix.dirname(importer), path);
  return way.startsWith(".") ? way : `./${way}`;
}

function assetsSpecifier(site: SiteDeclaration): string {
  return `fw:assets/${site.dir}`;
}
