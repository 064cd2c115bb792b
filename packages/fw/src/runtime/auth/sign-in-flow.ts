/** How a deployed service lets people sign in: the identity provider's own markup on the sign-in page. */
export interface SignInFlow {
  /** HTML for the page's main part. What it starts ends in a post of `idToken` and `next` to `action`. */
  content(view: SignInView): string;
  /** What the page's content security policy must allow for it, by directive: `{ "script-src": ["'self'"] }`. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/** What the provider's markup depends on. */
export interface SignInView {
  /** Where the ID token is posted. */
  readonly action: string;
  /** The path that a sign-in leads on to. */
  readonly next: string;
  readonly social: boolean;
  readonly password: boolean;
}
