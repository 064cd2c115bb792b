import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import type { EntryUses } from "../model/uses.ts";
import { exampleOf } from "./example.ts";
import { placeOf } from "./graph/declarations.ts";
import { diagram } from "./graph/diagram.ts";
import { accessTexts } from "./graph/access.ts";
import { svgText } from "./graph/svg.ts";
import { graph, type Graph } from "./graph/graph.ts";
import { scalarWords } from "./type-words.ts";

/** The console's view of an application, as plain JSON. */
export interface ConsoleModel {
  readonly graph: Graph;
  /** The architecture diagram. */
  readonly svg: string;
  readonly routes: readonly RouteForm[];
}

/** A route and the fields of a form that calls it. */
export interface RouteForm {
  readonly service: string;
  readonly kind: Endpoint["kind"];
  readonly method: string;
  readonly path: string;
  /** The access rule in words. */
  readonly door: string;
  readonly at: string;
  readonly fields: readonly FormField[];
  /** The kind of request body. */
  readonly carries: Endpoint["request"]["carries"];
  /** An example body as JSON; absent if it has none. */
  readonly body?: string;
}

interface FormField {
  readonly name: string;
  readonly source: string;
  /** Such as `int` or `"open" | "paid"`. */
  readonly type: string;
  readonly list: boolean;
  readonly optional: boolean;
}

export function consoleModel(app: App, uses: readonly EntryUses[]): ConsoleModel {
  const door = accessTexts(app);
  const routes = app.packages.flatMap((pkg) =>
    endpointsOf(pkg).map((endpoint) => routeForm(endpoint, pkg.service, door(endpoint), app)),
  );
  return { graph: graph(app), svg: svgText(diagram(app, uses)), routes };
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
