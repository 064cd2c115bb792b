import { hasBrand } from "./brand.ts";

const REDIRECTION: unique symbol = Symbol.for("fw.redirection");

/** A redirect for a Page to return, created by `Redirect` or `RedirectPermanent`. */
export class Redirection {
  /** The target URL, as passed. */
  readonly target: string;
  /** True for a 301, false for a 303. */
  readonly permanent: boolean;
  /** @internal */
  readonly [REDIRECTION] = true;
  /** @internal */
  constructor(target: string, permanent: boolean) {
    this.target = target;
    this.permanent = permanent;
  }
}

/** Creates a 303 See Other. For htmx requests (`HX-Request`), the response is a 200 with `HX-Redirect`. */
export function Redirect(target: string): Redirection {
  return new Redirection(target, false);
}

/** Creates a 301 Moved Permanently. For htmx requests (`HX-Request`), the response is a 200 with `HX-Redirect`. */
export function RedirectPermanent(target: string): Redirection {
  return new Redirection(target, true);
}

/** True for the results of `Redirect` and `RedirectPermanent`. */
export function isRedirection(value: unknown): value is Redirection {
  return hasBrand(value, REDIRECTION);
}
