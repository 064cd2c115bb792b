/** An identity provider's part of the sign-in page. */
export interface SignInFlow {
  /** Returns HTML for the main part of the page. Its script eventually posts `idToken` and `next` to `action`. */
  content(view: SignInView): string;
  /** The sources that the page's content security policy must allow, by directive: `{ "script-src": ["'self'"] }`. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/** The data that the provider's markup depends on. */
export interface SignInView {
  /** The URL to post the ID token to. */
  readonly action: string;
  /** The path to redirect to after the sign-in. */
  readonly next: string;
  readonly social: boolean;
  readonly password: boolean;
}
