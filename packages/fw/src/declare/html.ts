import { MARKUP } from "../lib/html.ts";
import { hasBrand } from "./brand.ts";

const HTML_RESULT: unique symbol = Symbol.for("fw.html");

/** Rendered HTML; only a `Site` creates it. Documents get security headers for documents; fragments do not. */
export class HTML {
  /** The markup. */
  readonly text: string;
  /** True for a whole document, false for a fragment. */
  readonly document: boolean;
  /** @internal */
  readonly [HTML_RESULT] = true;
  /** @internal Templates insert it without escaping. */
  readonly [MARKUP]: string;
  /** @internal */
  constructor(text: string, document: boolean) {
    this.text = text;
    this[MARKUP] = text;
    this.document = document;
  }
}

/** True for the results of `site.render` and `site.fragment`. */
export function isHTML(value: unknown): value is HTML {
  return hasBrand(value, HTML_RESULT);
}
