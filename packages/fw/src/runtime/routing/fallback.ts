import type { Bundle } from "../bundle.ts";
import type { Request } from "../request.ts";
import { wantsHTML } from "../response/refusal.ts";
import type { Asset } from "../site/files.ts";
import { isRead } from "./route.ts";

/** The document of a client-side router, for a browser that goes to a path which only that router knows. */
export function findFallback(request: Request): Asset | undefined {
  if (!isRead(request) || !wantsHTML(request)) return undefined;
  for (const files of request.app.files) {
    const found = files.fallback();
    if (found !== undefined) return isBelowAPI(request) ? undefined : found;
  }
  return undefined;
}

const known = new WeakMap<Bundle, ReadonlySet<string>>();

/** True for a path that begins like those of the application's APIs: a mistake in one is no page. */
export function isBelowAPI({ app: { bundle }, path }: Request): boolean {
  const first = known.get(bundle) ?? apiRoots(bundle);
  known.set(bundle, first);
  return first.has(path.split("/")[1] ?? "");
}

/** The first names of API routes that have more after them. */
function apiRoots({ endpoints }: Bundle): ReadonlySet<string> {
  const names = endpoints.flatMap(({ kind, route }) =>
    kind === "api" ? (/^\S+ \/([^/{]+)\//.exec(route)?.[1] ?? []) : [],
  );
  return new Set(names);
}
