import { existsSync } from "node:fs";
import { join } from "node:path";
import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { RouteTree } from "../model/route-tree.ts";
import type { Asked } from "./asked.ts";
import { hereOf, placeIn, type Place } from "./place.ts";
import type { Location, Range } from "./protocol.ts";
import { siteAround, sitesOf, siteWithKey, templateNamed } from "./templates.ts";

const begin: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Where what is named stands: a template, a partial, and the route or the file that a redirect leads to. */
export async function definition(asked: Asked, params: unknown): Promise<readonly Location[] | undefined> {
  const place = placeIn(asked, params);
  if (place === undefined) return undefined;
  const site = siteAround(asked);
  if (site !== undefined) {
    const name = partialAt(place);
    const file = name === undefined ? undefined : templateNamed(asked, site, name);
    return file && [fileLocation(asked, file.path)];
  }
  const here = await hereOf(asked, params);
  if (here?.kind === "template") {
    const of = siteWithKey(asked, here.site);
    const files = of ? here.names.flatMap((name) => templateNamed(asked, of, name) ?? []) : [];
    return files.map(({ path }) => fileLocation(asked, path));
  }
  return here?.kind === "redirect" ? redirectTarget(asked, here.target) : undefined;
}

/** The name of the partial of which the place is part. */
function partialAt({ before, after }: Place): string | undefined {
  const head = /\{\{~?#?>\s*["']?([^\s"'}~]*)$/.exec(before);
  const rest = /^[^\s"'}~]*/.exec(after)?.[0] ?? "";
  return head ? `${head[1]}${rest}` : undefined;
}

function redirectTarget(asked: Asked, target: string): readonly Location[] {
  const { root, contents, documents } = asked;
  const [path = ""] = target.split(/[?#]/);
  const endpoint = answering(contents.app, path);
  if (endpoint) return [documents.locationOf(root, endpoint.declaration.at)];
  return sitesOf(asked)
    .flatMap(({ dir }) => [join(root, dir, path), join(root, dir, path, "index.html")])
    .filter((file) => /\.\w+$/.test(file) && existsSync(file))
    .slice(0, 1)
    .map((file) => fileLocation(asked, file));
}

/** The endpoint that answers a path, in which `{}` stands for what is worked out. */
function answering({ packages }: App, path: string): Endpoint | undefined {
  const routes = new RouteTree<Endpoint>();
  for (const endpoint of packages.flatMap(endpointsOf)) routes.add(endpoint.route, endpoint);
  return path.startsWith("/") ? routes.fitting("GET", path)[0] : undefined;
}

function fileLocation({ documents }: Asked, path: string): Location {
  return { uri: documents.uriOf(path), range: begin };
}
