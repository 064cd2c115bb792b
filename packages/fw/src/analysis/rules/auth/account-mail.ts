import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

export const accountMail: Rule = {
  id: "account-mail",
  title: "Account pages need a subscriber of `auth.mail`",
  *app({ packages }) {
    const subscribers = packages.flatMap((pkg) => ofKind(pkg, "subscribe"));
    if (subscribers.some(({ source }) => source.kind === "event" && source.event === "auth.mail")) return;
    // Another rule reports a subscriber with a wrong source.
    if (subscribers.some(({ source }) => source.kind === "wrong")) return;
    const auths = packages.flatMap((pkg) => ofKind(pkg, "auth"));
    // Without passwords, the `account` setting itself is the mistake.
    const withPassword = auths.filter(({ config }) => config.settings.password?.value);
    const account = withPassword.map(({ config }) => config.settings.account).find((setting) => setting?.value);
    if (account === undefined) return;
    yield {
      at: account.at,
      message: "no Subscribe handles auth.mail, so links to verify addresses and to set passwords are never sent",
      hint: "send them: export const sendMail = Subscribe(auth.mail, async (ctx, mail) => …)",
    };
  },
};
