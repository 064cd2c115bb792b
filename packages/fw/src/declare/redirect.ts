import { hasBrand } from "./brand.ts";

const REDIRECTION: unique symbol = Symbol.for("fw.redirection");

/** What `Redirect` and `RedirectPermanent` make; a Page returns it. */
export class Redirection {
  /** The URL to go to, as it was given. */
  readonly target: string;
  /** 301 instead of 303. */
  readonly permanent: boolean;
  /** @internal */
  readonly [REDIRECTION] = true;
  /** @internal */
  constructor(target: string, permanent: boolean) {
    this.target = target;
    this.permanent = permanent;
  }
}

/** 303 See Other; under `HX-Request`, 200 with `HX-Redirect`. */
export function Redirect(target: string): Redirection {
  return new Redirection(target, false);
}

/** 301 Moved Permanently; under `HX-Request`, 200 with `HX-Redirect`. */
export function RedirectPermanent(target: string): Redirection {
  return new Redirection(target, true);
}

/** True for what `Redirect` and `RedirectPermanent` make. */
export function isRedirection(value: unknown): value is Redirection {
  return hasBrand(value, REDIRECTION);
}
