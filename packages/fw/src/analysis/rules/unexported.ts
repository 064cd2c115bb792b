import type { Declared } from "../../model/declaration-ref.ts";
import type { Finding } from "../rule.ts";

/** What is wrong with a declaration that has to be exported; nothing where it is. */
export function* unexported({ declaration }: Declared<string>, noun: string): Iterable<Finding> {
  const { variable, exported, at } = declaration;
  if (exported) return;
  yield {
    at,
    message: `the ${noun} "${variable}" is not exported`,
    hint: `write export const ${variable}`,
    fix: { kind: "export", at },
  };
}
