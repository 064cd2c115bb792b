import type { BundledAuth } from "../../bundle.ts";
import type { Identity } from "../user.ts";

/** Renders the links from the sign-in page to the account pages. */
export function accountLinks({ signUp }: BundledAuth, next: string, identity: Identity | undefined): string {
  if (identity !== undefined) return `<section><a class="button" href="/_fw/account">Your account</a></section>\n`;
  const create = signUp ? `<p><a href="/_fw/signup?next=${encodeURIComponent(next)}">Create an account</a></p>\n` : "";
  return `<section aria-label="Accounts">
${create}<p><a href="/_fw/forgot">Forgot your password?</a></p>
</section>
`;
}
