import type { Authenticator } from "../model/auth.ts";
import { wireName } from "../model/bindings.ts";
import type { TypeTable } from "../model/schema.ts";
import { Codecs } from "./codecs.ts";
import { decodeFunction } from "./endpoint-module.ts";
import { ImportLines, type Specifiers } from "./import-lines.ts";
import { text } from "./text.ts";

/** The generated module that exports the application's authenticators as `authenticators`. */
export const authenticatorsSpecifier = "fw:authenticators";

/**
 * Generates the module of authenticators, in the order in which credentials are tried. If `hasCode` is false, the
 * service only forwards credentials and does not identify users.
 */
export function authenticatorModule(
  authenticators: readonly Authenticator[],
  types: TypeTable,
  specifiers: Specifiers,
  hasCode: boolean,
): string {
  const lines = new ImportLines(specifiers);
  const codecs = new Codecs(types);
  const entries = authenticators.map(({ declaration, request }, i) => {
    const credentials = request.bound.map(({ source, wire, optional, list }) => ({
      source,
      name: wireName(source, wire),
      required: !optional && !list,
    }));
    const parts = [`name: ${text(declaration.variable)}`, `credentials: ${JSON.stringify(credentials)}`];
    if (hasCode) {
      parts.push(`declaration: ${lines.declaration(declaration)}`, `decode: decode${i}`);
      codecs.functions.push(decodeFunction({ request, route: { segments: [] } }, `decode${i}`, codecs));
    }
    return `  { ${parts.join(", ")} },`;
  });
  return codecs.module(["export const authenticators = [", ...entries, "];"], lines.lines);
}
