import { relativePath } from "../lib/relative-path.ts";
import type { Here } from "../model/here.ts";
import type { RequestContext } from "./request-context.ts";
import { Lines, sourcePosition } from "./lines.ts";
import { positionIn } from "./params.ts";

/** The position of a request in an open file. */
export interface CursorPosition {
  readonly text: string;
  readonly offset: number;
  /** The line before and after the position, at most `reach` on each side. */
  readonly before: string;
  readonly after: string;
}

/** The maximum number of UTF-16 units to read on each side. */
const reach = 500;

export function cursorIn({ documents, path }: RequestContext, params: unknown): CursorPosition | undefined {
  const text = documents.texts.get(path);
  if (text === undefined) return undefined;
  const position = positionIn(params, "position");
  const lines = new Lines(text);
  const offset = lines.offsetAt(position);
  const start = lines.offsetAt({ line: position.line, character: 0 });
  const end = lines.offsetAt({ line: position.line, character: Number.MAX_SAFE_INTEGER });
  return {
    text,
    offset,
    before: text.slice(Math.max(start, offset - reach), offset),
    after: text.slice(offset, Math.min(end, offset + reach)),
  };
}

export async function symbolAtCursor(
  { workspace, documents, root, path }: RequestContext,
  params: unknown,
): Promise<Here | undefined> {
  const text = documents.texts.get(path);
  if (text === undefined) return undefined;
  const own = relativePath(root, path);
  return workspace.analyzer.symbolAt(sourcePosition(own, positionIn(params, "position"), text));
}
