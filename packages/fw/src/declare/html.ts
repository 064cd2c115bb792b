import { MARKUP } from "../lib/html.ts";
import { hasBrand } from "./brand.ts";

const HTML_RESULT: unique symbol = Symbol.for("fw.html");

/** Rendered HTML. A document gets the document headers; a fragment does not. Only `site` makes it. */
export class HTML {
  /** The markup. */
  readonly text: string;
  /** Whether it is a whole document. */
  readonly document: boolean;
  /** @internal */
  readonly [HTML_RESULT] = true;
  /** @internal Templates take it as it stands. */
  readonly [MARKUP]: string;
  /** @internal */
  constructor(text: string, document: boolean) {
    this.text = text;
    this[MARKUP] = text;
    this.document = document;
  }
}

/** True for what `site.render` and `site.fragment` make. */
export function isHTML(value: unknown): value is HTML {
  return hasBrand(value, HTML_RESULT);
}
