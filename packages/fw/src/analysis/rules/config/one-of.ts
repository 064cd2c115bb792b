import type { DeclarationRef } from "../../../model/app.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import type { Finding } from "../../rule.ts";

/** Every declaration after the first, where a package has one. */
export function* oneOf(
  { name }: ParsedPackage,
  declared: readonly { readonly declaration: DeclarationRef }[],
  noun: string,
): Iterable<Finding> {
  const [first, ...others] = declared;
  if (!first) return;
  for (const { declaration } of others) {
    yield {
      at: declaration.at,
      message: `the package "${name}" has two ${noun}, "${first.declaration.variable}" and "${declaration.variable}"`,
      hint: "keep one; what belongs to another service goes into another directory",
      related: [{ at: first.declaration.at, message: `"${first.declaration.variable}" is declared here` }],
    };
  }
}
