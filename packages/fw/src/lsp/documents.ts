import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readText } from "../lib/read-file.ts";
import type { Unsaved } from "../lib/unsaved.ts";
import type { Span } from "../model/diagnostic.ts";
import { Lines, rangeOf } from "./lines.ts";
import { isObject } from "../lib/record-in.ts";
import { rangeIn, textIn } from "./params.ts";
import type { Location } from "./protocol.ts";

export interface Document {
  /** The URI as the client writes it. */
  readonly uri: string;
  /** Absolute. */
  readonly path: string;
  readonly version: number;
}

/** The files that are open in the client, with their current texts. */
export class Documents {
  readonly #open: Map<string, Document> = new Map();
  readonly #texts: Map<string, string> = new Map();

  /** The texts by absolute path. */
  get texts(): Unsaved {
    return this.#texts;
  }

  get(path: string): Document | undefined {
    return this.#open.get(path);
  }

  open(document: Document, text: string): void {
    this.#open.set(document.path, document);
    this.#texts.set(document.path, text);
  }

  /** Applies changes in order; returns false if the file is not open. */
  change(path: string, version: number, changes: readonly unknown[]): boolean {
    const before = this.#open.get(path);
    if (before === undefined) return false;
    const text = changes.reduce<string>((text, change) => applyChange(text, change), this.#texts.get(path) ?? "");
    this.#open.set(path, { ...before, version });
    this.#texts.set(path, text);
    return true;
  }

  close(path: string): boolean {
    this.#texts.delete(path);
    return this.#open.delete(path);
  }

  /** Returns the client's text of an open file; the text on disk for other files. */
  textOf(path: string): string | undefined {
    return this.#texts.get(path) ?? readText(path);
  }

  /** Converts a span of an application to a location for the client. */
  locationOf(root: string, at: Span): Location {
    const path = join(root, at.path);
    return { uri: this.uriOf(path), range: rangeOf(at, this.textOf(path)) };
  }

  uriOf(path: string): string {
    return this.#open.get(path)?.uri ?? pathToFileURL(path).href;
  }
}

function applyChange(text: string, change: unknown): string {
  const inserted = textIn(change, "text");
  if (!isObject(change) || change["range"] === undefined) return inserted;
  const { start, end } = rangeIn(change);
  const lines = new Lines(text);
  const from = lines.offsetAt(start);
  return text.slice(0, from) + inserted + text.slice(Math.max(from, lines.offsetAt(end)));
}

/** Converts a URI to a path; undefined for other schemes, such as untitled files and git revisions. */
export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
