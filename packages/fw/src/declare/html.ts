import { MARKUP } from "../lib/html.ts";
import { hasBrand } from "./brand.ts";

const HTML_RESULT: unique symbol = Symbol.for("fw.html");

/** Rendered HTML, created only by a `Site`. fw sends documents with security headers, fragments without. */
export class HTML {
  /** The markup. */
  readonly text: string;
  /** True for a whole document, false for a fragment. */
  readonly document: boolean;
  /** @internal */
  readonly [HTML_RESULT] = true;
  /** @internal Marks HTML that templates insert without escaping. */
  readonly [MARKUP]: string;
  /** @internal */
  constructor(text: string, document: boolean) {
    this.text = text;
    this[MARKUP] = text;
    this.document = document;
  }
}

/** True for the results of `site.render`, `site.fragment` and `site.markdown`. */
export function isHTML(value: unknown): value is HTML {
  return hasBrand(value, HTML_RESULT);
}
