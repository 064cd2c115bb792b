import { bindings } from "../../../model/bindings.ts";
import type { Rule } from "../../rule.ts";
import { firstNames } from "../binding/no-body.ts";
import { isCredential } from "./credentials.ts";

export const authenticatorBinding: Rule = {
  id: "authenticator-binding",
  title: "The credentials of an `Authenticator` are `Header`, `Cookie` or `Query` fields, and there is at least one",
  *declaration(read) {
    if (read.kind !== "authenticator" || read.types === undefined) return;
    const { request, requestRefusals } = read.types;
    const [first] = request.untagged;
    if (first) {
      const message = `${firstNames(request.untagged)} would be read from a body, but an authenticator runs before the body is read`;
      yield { at: first.at, message, hint };
    }
    for (const { property, source, at } of request.shape.bound.filter((field) => !isCredential(field))) {
      yield {
        at,
        message: `"${property}" is read from ${bindings[source].carrier}, which cannot carry credentials`,
        hint,
      };
    }
    if (request.shape.bound.length > 0 || first || request.faults.length > 0 || requestRefusals.length > 0) return;
    yield { at: read.at, message: "the authenticator reads no credentials", hint: example };
  },
};

const hint = "write Header, Cookie or Query";
const example = 'bind the credentials: (ctx, { key }: { key: Header<string, "X-Api-Key"> }) => …';
