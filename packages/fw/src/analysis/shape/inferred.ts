import type { ESTree } from "rolldown/utils";
import { fromChecked } from "../schema/checked-type.ts";
import { evaluate } from "../schema/evaluate.ts";
import { markLength, NeedsChecker, questionKey, refusedType } from "../schema/type-reading.ts";
import type { TypeResolver } from "../schema/schema.ts";
import { noParameters } from "../schema/type-scope.ts";
import type { SourceRange, Type } from "../schema/type.ts";

/**
 * Reads a type argument of a declared constant (`EndpointDeclaration<Req, Res>`) from the checker's answer: first as
 * text, and as data if some printed names cannot be resolved. Throws NeedsChecker if the checker has not answered yet.
 */
export function inferredArgument(resolver: TypeResolver, name: SourceRange, argument: number): Type {
  const { path } = name.module;
  const whole = { path, start: name.start - markLength(name.module) };
  const enclosingQuestion = { ...whole, argument };
  resolver.reading.modules.add(path);
  const walked = resolver.answers.get(questionKey(enclosingQuestion));
  if (walked) return fromChecked(walked, name, resolver.reading);
  const printed = resolver.texts.get(questionKey(whole));
  if (!printed) throw new NeedsChecker(whole, "text");
  const node = argumentNode(printed.program, argument);
  if (!node)
    return refusedType(
      "unresolved",
      printed.text === "" ? "it is in no file that tsconfig.json includes" : printed.text,
    );
  return evaluate(node, {
    reading: resolver.reading,
    module: { ...printed, path },
    parameters: noParameters,
    enclosingQuestion,
    range: name,
  });
}

function argumentNode(program: ESTree.Program, argument: number): ESTree.TSType | undefined {
  const [statement] = program.body;
  const node = statement?.type === "TSTypeAliasDeclaration" ? statement.typeAnnotation : undefined;
  const isReference = node?.type === "TSImportType" || node?.type === "TSTypeReference";
  return isReference ? node.typeArguments?.params[argument] : undefined;
}
