import { relative, sep } from "node:path";
import type { Here } from "../model/here.ts";
import type { Asked } from "./asked.ts";
import { Lines, placeOf } from "./lines.ts";
import { positionIn } from "./params.ts";

/** What a request points at, in a file that is open. */
export interface Place {
  readonly text: string;
  readonly offset: number;
  /** The line up to the place, and from it, as far as a name and what is before it can go. */
  readonly before: string;
  readonly after: string;
}

/** UTF-16 units that are looked at on either side: a line may be as long as a file. */
const reach = 500;

export function placeIn({ documents, path }: Asked, params: unknown): Place | undefined {
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

/** What the analysis knows of the place. */
export async function hereOf({ workspace, documents, root, path }: Asked, params: unknown): Promise<Here | undefined> {
  const text = documents.texts.get(path);
  if (text === undefined) return undefined;
  const own = relative(root, path).split(sep).join("/");
  return workspace.here(placeOf(own, positionIn(params, "position"), text));
}
