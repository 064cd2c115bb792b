import type { Rule } from "../../rule.ts";

export const authProvider: Rule = {
  id: "auth-provider",
  title: "An Auth declares at least one provider",
  *declaration(read) {
    if (read.kind !== "auth") return;
    const { at, settings, faults, extra } = read.config;
    if (faults.length > 0 || extra || settings.social?.value || settings.password?.value) return;
    yield {
      at,
      message: "Auth declares no provider, so users could not sign in",
      hint: "write social: true, password: true, or both",
    };
  },
};
