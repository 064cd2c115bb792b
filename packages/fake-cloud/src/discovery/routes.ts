import { documents, type Document, type MethodDescription } from "./document.ts";

/** A method of an API, and the requests that are for it. */
export interface Route {
  readonly id: string;
  /** The host that answers it: `pubsub.googleapis.com`. */
  readonly host: string;
  readonly document: Document;
  readonly method: MethodDescription;
  /** The body is the content of an object rather than JSON. */
  readonly upload: boolean;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

/** A route with the values of its path. */
export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Every route of the descriptions, by host. */
export const routesByHost: ReadonlyMap<string, readonly Route[]> = grouped();

/** The route of a request to a host, if it has one. */
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
  // A custom verb before the plain resource, whose last segment would match it, too.
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

/** `v1/{+topic}:publish` with what each of its names may be. */
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
