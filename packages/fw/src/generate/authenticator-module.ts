import type { Authenticator } from "../model/auth.ts";
import { wireName } from "../model/bindings.ts";
import type { TypeTable } from "../model/schema.ts";
import { decodersOf, functionsOf } from "./decoders.ts";
import { decodeFunction, type Specifiers } from "./endpoint-module.ts";
import { ImportLines } from "./import-lines.ts";
import { runtimeImports } from "./runtime-imports.ts";
import { text } from "./text.ts";

/** The generated module that exports what says who sends a request as `authenticators`. */
export const authenticatorsSpecifier = "fw:authenticators";

/**
 * An application's authenticators, in the order in which a request's credentials are looked for. Without their code for a service that
 * asks nobody who they are, and hands on what it is given.
 */
export function authenticatorModule(
  authenticators: readonly Authenticator[],
  types: TypeTable,
  specifiers: Specifiers,
  withCode: boolean,
): string {
  const lines = new ImportLines(specifiers);
  const decoders = decodersOf(types);
  const decodes = authenticators.map(({ request }, i) =>
    decodeFunction({ request, route: { segments: [] } }, `decode${i}`, decoders, types),
  );
  const entries = authenticators.map(({ declaration, request }, i) => {
    const credentials = request.bound.map(({ source, wire, optional, list }) => ({
      source,
      name: wireName(source, wire),
      needed: !optional && !list,
    }));
    const parts = [`name: ${text(declaration.variable)}`, `credentials: ${JSON.stringify(credentials)}`];
    if (withCode) parts.push(`declaration: ${lines.declaration(declaration)}`, `decode: decode${i}`);
    return `  { ${parts.join(", ")} },`;
  });
  const functions = withCode ? [...functionsOf(decoders), ...decodes] : [];
  const code = [...functions, "export const authenticators = [", ...entries, "];", ""].join("\n");
  return [...runtimeImports(code, specifiers.runtime), ...lines.lines, code].join("\n");
}
