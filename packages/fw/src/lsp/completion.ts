import { dirname, relative, sep } from "node:path";
import type { SiteDeclaration } from "../model/app.ts";
import type { Asked } from "./asked.ts";
import { Lines } from "./lines.ts";
import { hereOf, placeIn, type Place } from "./place.ts";
import { siteAround, sitesOf, templatesOf } from "./templates.ts";

/** As the protocol numbers them. */
const itemKinds = { field: 5, file: 17 } as const;

/** Names of templates where one is rendered or included, and of parameters in a route. */
export async function completion(asked: Asked, params: unknown): Promise<object | undefined> {
  const place = placeIn(asked, params);
  if (place === undefined) return undefined;
  const site = siteAround(asked);
  const partial = /\{\{~?#?>\s*["']?([^\s"'}~]*)$/.exec(place.before);
  if (site !== undefined) return partial ? names(place, /[^\s"'}~]*/, without(asked, site)) : undefined;
  // What is being typed may not parse yet, so that only the line tells.
  const rendered = /(\w+)\.(?:render|fragment)\(\s*\w+\s*,\s*(["'`])([^"'`]*)$/.exec(place.before);
  if (rendered) {
    const [, name = ""] = rendered;
    const templates = sitesNamed(asked, name).flatMap((named) => templatesOf(asked, named));
    const all = templates.map((template) => template.name);
    return names(place, /[^"'`]*/, all);
  }
  const parameter = /["'`][A-Z]+ \/[^"'`]*\{(\w*)$/.exec(place.before);
  const here = parameter ? await hereOf(asked, params) : undefined;
  return here?.kind === "route" ? parameters(place, here.params) : undefined;
}

/** A template does not include itself, and pages do not include the layout. */
function without(asked: Asked, site: SiteDeclaration): readonly string[] {
  return templatesOf(asked, site)
    .filter(({ name, path }) => path !== asked.path && name !== "layout.html")
    .map(({ name }) => name);
}

/** Those that the name may mean, of the file's own directory first. */
function sitesNamed(asked: Asked, name: string): readonly SiteDeclaration[] {
  const dir = relative(asked.root, dirname(asked.path)).split(sep).join("/");
  const named = sitesOf(asked).filter(({ declaration }) => declaration.variable === name);
  const own = named.filter(({ declaration }) => dirname(declaration.module) === (dir === "" ? "." : dir));
  return own.length > 0 ? own : named.length > 0 ? named : sitesOf(asked);
}

/** `name` is what a name is made of. */
function names(place: Place, name: RegExp, all: readonly string[]): object {
  return list(place, { labels: [...new Set(all)], kind: itemKinds.file, name, end: "" });
}

/** With the brace that closes it, where none does. */
function parameters(place: Place, all: readonly string[]): object {
  const [rest = ""] = /^\w*/.exec(place.after) ?? [];
  const close = place.after.slice(rest.length).startsWith("}") ? "" : "}";
  const used = new Set([...`${place.before}${place.after}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const others = all.filter((name) => !used.has(name));
  return list(place, { labels: others, kind: itemKinds.field, name: /\w*/, end: close });
}

interface Offered {
  readonly labels: readonly string[];
  readonly kind: number;
  /** What a name is made of. */
  readonly name: RegExp;
  readonly end: string;
}

/** Each in the place of the whole name that is pointed at. */
function list({ text, offset, before, after }: Place, { labels, kind, name, end }: Offered): object {
  const lines = new Lines(text);
  const start = lines.positionAt(offset - lengthOf(`(?:${name.source})$`, before));
  const range = { start, end: lines.positionAt(offset + lengthOf(`^(?:${name.source})`, after)) };
  const items = labels.map((label) => ({ label, kind, textEdit: { range, newText: `${label}${end}` } }));
  return { isIncomplete: false, items };
}

function lengthOf(pattern: string, text: string): number {
  return new RegExp(pattern).exec(text)?.[0].length ?? 0;
}
