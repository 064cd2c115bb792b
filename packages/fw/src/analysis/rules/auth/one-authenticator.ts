import { inSourceOrder } from "../../../model/diagnostic.ts";
import type { BoundField } from "../../../model/request-shape.ts";
import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { credentialText, isCredential } from "./credentials.ts";

export const oneAuthenticator: Rule = {
  id: "one-authenticator",
  title: "No two authenticators of an application read the same header, cookie or query parameter",
  *app({ packages }) {
    const firsts = new Map<string, { readonly field: BoundField; readonly variable: string }>();
    const all = packages.flatMap((pkg) => ofKind(pkg, "authenticator"));
    for (const { declaration, types } of all.toSorted((a, b) => inSourceOrder(a.at, b.at))) {
      for (const field of types?.request.shape.bound.filter(isCredential) ?? []) {
        const first = firsts.get(credentialText(field));
        if (first === undefined) firsts.set(credentialText(field), { field, variable: declaration.variable });
        else if (first.variable !== declaration.variable || first.field.at.path !== field.at.path)
          yield {
            at: field.at,
            message: `the authenticators "${first.variable}" and "${declaration.variable}" both read the ${field.source} "${field.wire}"`,
            hint: "read it in one authenticator, and decide there whose credential it is",
            related: [{ at: first.field.at, message: `"${first.variable}" reads it here` }],
          };
      }
    }
  },
};
