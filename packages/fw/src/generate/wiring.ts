import type { App, DeclarationRef, Endpoint, Package } from "../model/app.ts";
import type { Carrier } from "../model/background.ts";
import type { Schema } from "../model/schema.ts";
import { backgroundDeclarations, carrierModules, carriersSpecifier } from "./background.ts";
import { bundleModule } from "./bundle-module.ts";
import { carrierModule } from "./carrier-module.ts";
import { endpointModule, endpointModules, endpointsSpecifier } from "./endpoint-module.ts";
import { knownTexts } from "./known-texts.ts";
import type { GenerateOptions } from "./options.ts";
import { remoteModule, remotesSpecifier } from "./remote-module.ts";
import { generateRoutes, routesSpecifier } from "./routes.ts";

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

/** A function that generates an application, or some of its packages, and keeps the texts of what did not change. */
export function generator(options: GenerateOptions = {}): (app: App) => Generated {
  const specifiers = {
    runtime: options.runtime ?? "fw/runtime",
    module: options.module ?? ((path: string) => `./${path}`),
  };
  const textOf = knownTexts(endpointSchemas, (parts, types) => endpointModule(parts, types, specifiers));
  const carriersOf = knownTexts(messageSchemas, (parts, types) => carrierModule(parts, types, specifiers));
  const routesOf = routesText(specifiers.runtime);
  return (app) => {
    const files = new Map<string, string>();
    for (const module of app.packages.flatMap(endpointModules)) {
      files.set(endpointsSpecifier(module.path), textOf(module.endpoints, app.types));
    }
    for (const { path, carriers } of app.packages.flatMap(carrierModules)) {
      files.set(carriersSpecifier(path), carriersOf(carriers, app.types));
    }
    const { remotes = [] } = options;
    if (remotes.length > 0) files.set(remotesSpecifier, remoteModule(remotes, app.types, specifiers));
    files.set(routesSpecifier, routesOf(app.packages.flatMap((part) => part.endpoints)));
    files.set(entrySpecifier, bundleModule(app, specifiers, options));
    const called = remotes.map(({ endpoint }) => endpoint.declaration);
    return { entry: entrySpecifier, files, exposed: exposedDeclarations(app, called) };
  };
}

function endpointSchemas({ request, response }: Endpoint): readonly Schema[] {
  return [response, ...request.body.map((field) => field.schema)];
}

function messageSchemas({ message }: Carrier): readonly Schema[] {
  return [message];
}

function routesText(runtime: string): (endpoints: readonly Endpoint[]) => string {
  let last: { readonly endpoints: readonly Endpoint[]; readonly text: string } | undefined;
  return (endpoints) => {
    if (last === undefined || !sameRoutes(last.endpoints, endpoints)) {
      last = {
        endpoints,
        text: generateRoutes(
          endpoints.map((endpoint) => endpoint.route),
          runtime,
        ),
      };
    }
    return last.text;
  };
}

function sameRoutes(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return a.length === b.length && a.every((endpoint, i) => endpoint.route.pattern === b[i]?.route.pattern);
}

function exposedDeclarations(app: App, called: readonly DeclarationRef[]): ReadonlyMap<string, readonly string[]> {
  const exposed = new Map<string, Set<string>>();
  for (const { module, variable } of [...app.packages.flatMap(declarations), ...called]) {
    const known = exposed.get(module);
    if (known === undefined) exposed.set(module, new Set([variable]));
    else known.add(variable);
  }
  return new Map(Array.from(exposed, ([module, variables]) => [module, [...variables]]));
}

/** What generated modules import; a policy may be one of another package. */
function declarations(part: Package): Pick<DeclarationRef, "module" | "variable">[] {
  const others = [part.settings?.declaration, part.site?.declaration, part.status];
  const entities = (part.entities ?? []).map((entity) => entity.declaration);
  const endpoints = part.endpoints.map((endpoint) => endpoint.declaration);
  const policies = part.endpoints.flatMap(({ settings }) => settings.allow ?? []);
  const background = backgroundDeclarations(part);
  return [...endpoints, ...policies, ...entities, ...background, ...others.filter((ref) => ref !== undefined)];
}
