import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import type { EntryUses } from "../model/uses.ts";
import { exampleOf } from "./example.ts";
import { placeOf } from "./graph/declarations.ts";
import { diagram } from "./graph/diagram.ts";
import { doorTexts } from "./graph/door.ts";
import { svgText } from "./graph/svg.ts";
import { graph, type Graph } from "./graph/graph.ts";
import { scalarWords } from "./type-words.ts";

/** What the console shows of an application: plain JSON. */
export interface ConsoleModel {
  readonly graph: Graph;
  /** The architecture as a picture. */
  readonly svg: string;
  readonly routes: readonly RouteForm[];
}

/** A route with what its requests carry, as far as a form can ask for it. */
export interface RouteForm {
  readonly service: string;
  readonly kind: Endpoint["kind"];
  readonly method: string;
  readonly path: string;
  /** Who gets in, in words. */
  readonly door: string;
  readonly at: string;
  readonly fields: readonly FormField[];
  /** What the request carries besides its URL. */
  readonly carries: Endpoint["request"]["carries"];
  /** A body to begin with, as JSON; absent where there is none. */
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
  const door = doorTexts(app);
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
