import { documents, type Document, type MethodDescription } from "./document.ts";

/** A method of an API and the pattern of its requests. */
export interface Route {
  readonly id: string;
  /** Its host: `pubsub.googleapis.com`. */
  readonly host: string;
  readonly document: Document;
  readonly method: MethodDescription;
  /** True if the body is an object's content instead of JSON. */
  readonly upload: boolean;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

/** A route with its path parameters. */
export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The routes of all documents, by host. */
export const routesByHost: ReadonlyMap<string, readonly Route[]> = grouped();

/** Finds the route of a request to a host. */
export function matchRoute(host: string, httpMethod: string, path: string): Match | undefined {
  for (const route of routesByHost.get(host) ?? []) {
    if (route.method.httpMethod !== httpMethod) continue;
    const found = route.pattern.exec(path);
    if (!found) continue;
    const values = route.names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? "")]);
    return { route, params: Object.fromEntries(values) as Record<string, string> };
  }
  return undefined;
}

function grouped(): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  // Custom verbs come before the plain resource, whose last segment would also match them.
  const verbsFirst = allRoutes().toSorted((a, b) => Number(isVerb(b)) - Number(isVerb(a)));
  for (const route of verbsFirst) groups.set(route.host, [...(groups.get(route.host) ?? []), route]);
  return groups;
}

function isVerb({ method }: Route): boolean {
  return /:\w+$/.test(method.path);
}

function allRoutes(): Route[] {
  return documents().flatMap((document) => {
    const { host } = new URL(document.rootUrl);
    return Object.entries(document.methods).flatMap(([id, method]) => {
      const uploads = Object.values(method.mediaUpload?.protocols ?? {}).map(({ path }) => path);
      const plain = { id, host, document, method, upload: false };
      return [
        { ...plain, ...pathPattern(`/${document.servicePath}${method.path}`, method) },
        ...uploads.map((path) => ({ ...plain, upload: true, ...pathPattern(path, method) })),
      ];
    });
  });
}

/**
 * Converts a path such as `v1/{+topic}:publish` to a regular expression, and returns the parameters' names in order.
 */
function pathPattern(template: string, method: MethodDescription): Pick<Route, "pattern" | "names"> {
  const names: string[] = [];
  const source = template.split(/(\{\+?\w+\})/).map((piece) => {
    const name = /^\{\+?(\w+)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    names.push(name);
    const { pattern } = method.parameters[name] ?? {};
    return `(${pattern === undefined ? "[^/]+" : pattern.replaceAll(/^\^|\$$/g, "")})`;
  });
  return { pattern: new RegExp(`^${source.join("")}$`), names };
}
