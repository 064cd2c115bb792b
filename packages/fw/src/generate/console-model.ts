import type { App, DeclarationRef, Endpoint } from "../model/app.ts";
import { endpointsOf, ofKind } from "../model/declarations.ts";
import type { EntryUses } from "../model/uses.ts";
import { exampleOf } from "./example.ts";
import { placeOf } from "./graph/declarations.ts";
import { diagram, type Diagram } from "./graph/diagram.ts";
import { accessRules, accessSentence } from "./graph/access.ts";
import { graph, type Graph } from "./graph/graph.ts";
import type { DocumentForm } from "./document-forms.ts";
import type { JobForm } from "./job-forms.ts";
import type { MailForm } from "./mail-forms.ts";
import { scalarWords } from "./type-words.ts";
import type { ValueForms } from "./value-forms.ts";

/** The console's view of an application, as plain JSON. */
export interface ConsoleModel {
  readonly graph: Graph;
  /** The architecture as boxes and arrows. */
  readonly diagram: Diagram;
  readonly routes: readonly RouteForm[];
  /** The variables of declarations that a generated test imports. */
  readonly variables: readonly DeclaredVariable[];
  /** The editors for documents; absent outside development. */
  readonly documents?: readonly DocumentForm[];
  /** The forms that start jobs; absent outside development. */
  readonly jobs?: readonly JobForm[];
  /** The types of documents and other values to enter; absent outside development. */
  readonly forms?: ValueForms;
  /** The previews of mails; absent outside development. */
  readonly mails?: readonly MailForm[];
  /** The languages of the application's messages; absent outside development. */
  readonly languages?: readonly string[];
}

export interface DeclaredVariable {
  /** `route` is an endpoint; its `name` is the pattern. */
  readonly kind: "route" | "entity" | "role";
  readonly name: string;
  readonly variable: string;
  readonly module: string;
  readonly exported: boolean;
}

export interface RouteForm {
  readonly service: string;
  readonly kind: Endpoint["kind"];
  readonly method: string;
  readonly path: string;
  /** The access rule in words. */
  readonly door: string;
  readonly at: string;
  readonly fields: readonly FormField[];
  readonly carries: Endpoint["request"]["carries"];
  /** An example body as JSON; absent if the request has none. */
  readonly body?: string;
}

interface FormField {
  readonly name: string;
  readonly source: string;
  /** For example `int` or `"open" | "paid"`. */
  readonly type: string;
  readonly list: boolean;
  readonly optional: boolean;
}

export function consoleModel(app: App, uses: readonly EntryUses[]): ConsoleModel {
  const doorOf = accessRules(app);
  const routes = app.packages.flatMap((pkg) =>
    endpointsOf(pkg).map((endpoint) => routeForm(endpoint, pkg.service, accessSentence(doorOf(endpoint)), app)),
  );
  return { graph: graph(app), diagram: diagram(app, uses), routes, variables: variablesOf(app) };
}

function variablesOf({ packages }: App): readonly DeclaredVariable[] {
  const row = (kind: DeclaredVariable["kind"], name: string, { variable, module, exported }: DeclarationRef) => ({
    kind,
    name,
    variable,
    module,
    exported,
  });
  return packages.flatMap((pkg) => [
    ...endpointsOf(pkg).map(({ route, declaration }) => row("route", route.pattern, declaration)),
    ...ofKind(pkg, "entity", "role").map(({ kind, name, declaration }) => row(kind, name, declaration)),
  ]);
}

function routeForm(
  { kind, route, request, declaration }: Endpoint,
  service: string,
  door: string,
  app: App,
): RouteForm {
  const { method, pattern } = route;
  const example = exampleOf(request, app.types);
  return {
    service,
    kind,
    method,
    path: pattern.slice(pattern.indexOf("/")),
    door,
    at: placeOf(declaration),
    fields: request.bound.map(({ wire, source, type, list, optional }) => ({
      name: wire,
      source,
      type: scalarWords(type),
      list,
      optional,
    })),
    carries: request.carries,
    ...(example !== undefined && { body: JSON.stringify(example.value, undefined, 2) }),
  };
}
