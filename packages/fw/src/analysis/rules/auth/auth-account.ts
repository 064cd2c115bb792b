import type { Finding, Rule } from "../../rule.ts";
import type { ParsedAuth } from "../../readers/auth.ts";

export const authAccount: Rule = {
  id: "auth-account",
  title: "Account pages need sign-in with passwords",
  *declaration(read) {
    if (read.kind !== "auth" || read.config.faults.length > 0 || read.config.extra) return;
    yield* missingSettings(read);
    const { style } = read.config.settings;
    if (style?.value !== undefined && !isPath(style.value))
      yield { at: style.at, message: "the style sheet is not a path of this application", hint: styleHint };
  },
};

function* missingSettings({ config: { settings } }: ParsedAuth): Iterable<Finding> {
  const { password, account, signUp } = settings;
  if (account?.value && !password?.value)
    yield {
      at: account.at,
      message: "account pages need passwords, which this Auth does not have",
      hint: "add password: true, or remove account",
    };
  if (signUp?.value && !account?.value)
    yield {
      at: signUp.at,
      message: "sign-up is part of the account pages, which this Auth does not have",
      hint: "add account: true, or remove signUp",
    };
}

/** True for a path on this origin that needs no escaping. */
function isPath(text: string): boolean {
  return /^\/(?!\/)[\w./~-]+$/.test(text);
}

const styleHint = 'write a path of letters, digits and . _ ~ - /, such as "/account.css"';
