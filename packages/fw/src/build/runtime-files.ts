import { dirname, join } from "node:path/posix";
import { type ESTree, Visitor } from "rolldown/utils";
import type { Edit } from "../lib/edits.ts";
import { usageMarker } from "./usage-markers.ts";

/** The directory, in a service's, of files that the code reads from beside its modules. */
export const filesDirectory = "files";

const prefix = "file:";

/**
 * What a module says of its own place, said of the place that the files beside it have in a service. With `mark`, paths that
 * are written beside such a word, `join(import.meta.dirname, "seed")`, are marked, so that `runtimeFilesIn` finds them.
 */
export function placeEdits(path: string, text: string, program: ESTree.Program, mark: boolean): readonly Edit[] {
  if (!text.includes("import.meta")) return [];
  const edits: Edit[] = [];
  const arguments_ = ({ arguments: given }: ESTree.CallExpression | ESTree.NewExpression): void => {
    if (mark && given.some(isPlace)) edits.push(...given.flatMap((argument) => markedPath(path, text, argument)));
  };
  new Visitor({
    MemberExpression(node) {
      const word = placeWord(node);
      if (word !== undefined) edits.push({ start: node.start, end: node.end, text: placed(path, word) });
    },
    CallExpression: arguments_,
    NewExpression: arguments_,
  }).visit(program);
  return edits;
}

/** The files and directories of the application that marked code reads, by path. */
export function runtimeFilesIn(markers: ReadonlySet<string>): readonly string[] {
  return [...markers]
    .flatMap((mark) => (mark.startsWith(prefix) ? [mark.slice(prefix.length)] : []))
    .filter((path) => path !== "." && !path.startsWith(".."))
    .toSorted();
}

type Place = "dirname" | "filename" | "url";

function placeWord(node: ESTree.Node): Place | undefined {
  if (node.type !== "MemberExpression" || node.object.type !== "MetaProperty" || node.computed) return undefined;
  const { name } = node.property;
  return name === "dirname" || name === "filename" || name === "url" ? name : undefined;
}

function isPlace(node: ESTree.Node): boolean {
  return placeWord(node) !== undefined;
}

function placed(path: string, word: Place): string {
  const own = join(filesDirectory, word === "dirname" ? dirname(path) : path);
  if (word === "url") return `/*@__PURE__*/ new URL(${JSON.stringify(`./${own}`)}, import.meta.url).href`;
  return `(import.meta.dirname + ${JSON.stringify(`/${own}`)})`;
}

function markedPath(path: string, text: string, node: ESTree.Node): readonly Edit[] {
  if (node.type !== "Literal" || typeof node.value !== "string") return [];
  const target = join(dirname(path), node.value).replace(/\/$/, "");
  return [{ start: node.start, end: node.end, text: usageMarker(prefix + target, text.slice(node.start, node.end)) }];
}
