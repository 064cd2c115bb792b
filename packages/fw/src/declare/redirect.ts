/** What `Redirect` and `RedirectPermanent` return; a Page returns it. */
export class Redirection {
  readonly target: string;
  readonly permanent: boolean;
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
