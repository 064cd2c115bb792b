import { existsSync } from "node:fs";
import { join } from "node:path";
import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { RouteTree } from "../model/route-tree.ts";
import type { RequestContext } from "./request-context.ts";
import { symbolAtCursor, cursorIn, type CursorPosition } from "./cursor.ts";
import type { Location, Range } from "./protocol.ts";
import { siteAround, sitesOf, siteWithKey, templateNamed } from "./templates.ts";

const begin: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Finds the definition of the partial, template or redirect target at the cursor. */
export async function definition(context: RequestContext, params: unknown): Promise<readonly Location[] | undefined> {
  const place = cursorIn(context, params);
  if (place === undefined) return undefined;
  const site = siteAround(context);
  if (site !== undefined) {
    const name = partialAt(place);
    const file = name === undefined ? undefined : templateNamed(context, site, name);
    return file && [fileLocation(context, file.path)];
  }
  const here = await symbolAtCursor(context, params);
  if (here?.kind === "template") {
    const of = siteWithKey(context, here.site);
    const files = of ? here.names.flatMap((name) => templateNamed(context, of, name) ?? []) : [];
    return files.map(({ path }) => fileLocation(context, path));
  }
  return here?.kind === "redirect" ? redirectTarget(context, here.target) : undefined;
}

function partialAt({ before, after }: CursorPosition): string | undefined {
  const head = /\{\{~?#?>\s*["']?([^\s"'}~]*)$/.exec(before);
  const rest = /^[^\s"'}~]*/.exec(after)?.[0] ?? "";
  return head ? `${head[1]}${rest}` : undefined;
}

function redirectTarget(context: RequestContext, target: string): readonly Location[] {
  const { root, contents, documents } = context;
  const [path = ""] = target.split(/[?#]/);
  const endpoint = endpointFor(contents.app, path);
  if (endpoint) return [documents.locationOf(root, endpoint.declaration.at)];
  return sitesOf(context)
    .flatMap(({ dir }) => [join(root, dir, path), join(root, dir, path, "index.html")])
    .filter((file) => /\.\w+$/.test(file) && existsSync(file))
    .slice(0, 1)
    .map((file) => fileLocation(context, file));
}

/** Finds the endpoint for GET requests to a path; `{}` stands for a computed part. */
function endpointFor({ packages }: App, path: string): Endpoint | undefined {
  const routes = new RouteTree<Endpoint>();
  for (const endpoint of packages.flatMap(endpointsOf)) routes.add(endpoint.route, endpoint);
  return path.startsWith("/") ? routes.fitting("GET", path)[0] : undefined;
}

function fileLocation({ documents }: RequestContext, path: string): Location {
  return { uri: documents.uriOf(path), range: begin };
}
