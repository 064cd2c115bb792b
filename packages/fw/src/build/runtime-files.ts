import { dirname, join } from "node:path/posix";
import { type ESTree, Visitor } from "rolldown/utils";
import type { Edit } from "../lib/edits.ts";
import { usageMarker } from "./usage-markers.ts";

/** The directory, inside a service's directory, for files that code reads by a path relative to its modules. */
export const filesDirectory = "files";

const prefix = "file:";

/**
 * Rewrites `import.meta` paths to where a service stores the files. With `mark`, also marks literal paths next to them,
 * as in `join(import.meta.dirname, "seed")`, so that `runtimeFilesIn` finds them.
 */
export function placeEdits(path: string, text: string, program: ESTree.Program, mark: boolean): readonly Edit[] {
  if (!text.includes("import.meta")) return [];
  const edits: Edit[] = [];
  const arguments_ = ({ arguments: args }: ESTree.CallExpression | ESTree.NewExpression): void => {
    if (mark && args.some(isMetaProperty)) edits.push(...args.flatMap((argument) => markedPath(path, text, argument)));
  };
  new Visitor({
    MemberExpression(node) {
      const word = metaProperty(node);
      if (word !== undefined) edits.push({ start: node.start, end: node.end, text: metaExpression(path, word) });
    },
    CallExpression: arguments_,
    NewExpression: arguments_,
  }).visit(program);
  return edits;
}

/** Returns the relative paths of the files and directories below the root that `markers` name. */
export function runtimeFilesIn(markers: ReadonlySet<string>): readonly string[] {
  return [...markers]
    .flatMap((mark) => (mark.startsWith(prefix) ? [mark.slice(prefix.length)] : []))
    .filter((path) => path !== "." && !path.startsWith(".."))
    .toSorted();
}

type MetaProperty = "dirname" | "filename" | "url";

function metaProperty(node: ESTree.Node): MetaProperty | undefined {
  if (node.type !== "MemberExpression" || node.object.type !== "MetaProperty" || node.computed) return undefined;
  const { name } = node.property;
  return name === "dirname" || name === "filename" || name === "url" ? name : undefined;
}

function isMetaProperty(node: ESTree.Node): boolean {
  return metaProperty(node) !== undefined;
}

function metaExpression(path: string, word: MetaProperty): string {
  const own = join(filesDirectory, word === "dirname" ? dirname(path) : path);
  if (word === "url") return `/*@__PURE__*/ new URL(${JSON.stringify(`./${own}`)}, import.meta.url).href`;
  return `(import.meta.dirname + ${JSON.stringify(`/${own}`)})`;
}

function markedPath(path: string, text: string, node: ESTree.Node): readonly Edit[] {
  if (node.type !== "Literal" || typeof node.value !== "string") return [];
  const target = join(dirname(path), node.value).replace(/\/$/, "");
  return [{ start: node.start, end: node.end, text: usageMarker(prefix + target, text.slice(node.start, node.end)) }];
}
