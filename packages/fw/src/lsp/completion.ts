import { dirname } from "node:path";
import { relativePath } from "../lib/relative-path.ts";
import type { SiteDeclaration } from "../model/app.ts";
import type { RequestContext } from "./request-context.ts";
import { Lines } from "./lines.ts";
import { symbolAtCursor, cursorIn, type CursorPosition } from "./cursor.ts";
import { siteAround, sitesOf, templatesOf } from "./templates.ts";

const itemKinds = { field: 5, file: 17 } as const;

/** Completes template names in render calls and partials, and parameters in routes; undefined elsewhere. */
export async function completion(context: RequestContext, params: unknown): Promise<object | undefined> {
  const place = cursorIn(context, params);
  if (place === undefined) return undefined;
  const site = siteAround(context);
  const partial = /\{\{~?#?>\s*["']?([^\s"'}~]*)$/.exec(place.before);
  if (site !== undefined)
    return partial ? fileCompletions(place, /[^\s"'}~]*/, includableTemplates(context, site)) : undefined;
  return codeCompletions(context, params, place);
}

/**
 * Completes code that matches a pattern on its line, because the file may not parse while the user types. Only the
 * parameters of a route come from the analysis.
 */
async function codeCompletions(
  context: RequestContext,
  params: unknown,
  place: CursorPosition,
): Promise<object | undefined> {
  const rendered = /(\w+)\.(?:render|fragment)\(\s*\w+\s*,\s*(["'`])([^"'`]*)$/.exec(place.before);
  if (rendered) {
    const [, name = ""] = rendered;
    const templates = sitesNamed(context, name).flatMap((site) => templatesOf(context, site));
    const all = templates.map((template) => template.name);
    return fileCompletions(place, /[^"'`]*/, all);
  }
  const parameter = /["'`][A-Z]+ \/[^"'`]*\{(\w*)$/.exec(place.before);
  const here = parameter ? await symbolAtCursor(context, params) : undefined;
  return here?.kind === "route" ? parameterCompletions(place, here.params) : undefined;
}

/** Returns the templates that the current one can include: all except itself and the layout. */
function includableTemplates(context: RequestContext, site: SiteDeclaration): readonly string[] {
  return templatesOf(context, site)
    .filter(({ name, path }) => path !== context.path && name !== "layout.html")
    .map(({ name }) => name);
}

/** Returns the sites named `name` in the file's directory, or else in any directory, or else all sites. */
function sitesNamed(context: RequestContext, name: string): readonly SiteDeclaration[] {
  const dir = relativePath(context.root, dirname(context.path));
  const sameName = sitesOf(context).filter(({ declaration }) => declaration.variable === name);
  const own = sameName.filter(({ declaration }) => dirname(declaration.module) === (dir === "" ? "." : dir));
  return own.length > 0 ? own : sameName.length > 0 ? sameName : sitesOf(context);
}

/** Completes file names; `name` matches the characters that they may contain. */
function fileCompletions(place: CursorPosition, name: RegExp, all: readonly string[]): object {
  return completionList(place, { labels: [...new Set(all)], kind: itemKinds.file, name, end: "" });
}

/** Completes route parameters; adds the closing brace if it is missing. */
function parameterCompletions(place: CursorPosition, all: readonly string[]): object {
  const [rest = ""] = /^\w*/.exec(place.after) ?? [];
  const close = place.after.slice(rest.length).startsWith("}") ? "" : "}";
  const used = new Set([...`${place.before}${place.after}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const others = all.filter((name) => !used.has(name));
  return completionList(place, { labels: others, kind: itemKinds.field, name: /\w*/, end: close });
}

interface CompletionLabels {
  readonly labels: readonly string[];
  readonly kind: number;
  readonly name: RegExp;
  readonly end: string;
}

/** Creates items that replace the whole name at the position. */
function completionList(
  { text, offset, before, after }: CursorPosition,
  { labels, kind, name, end }: CompletionLabels,
): object {
  const lines = new Lines(text);
  const start = lines.positionAt(offset - lengthOf(`(?:${name.source})$`, before));
  const range = { start, end: lines.positionAt(offset + lengthOf(`^(?:${name.source})`, after)) };
  const items = labels.map((label) => ({ label, kind, textEdit: { range, newText: `${label}${end}` } }));
  return { isIncomplete: false, items };
}

function lengthOf(pattern: string, text: string): number {
  return new RegExp(pattern).exec(text)?.[0].length ?? 0;
}
