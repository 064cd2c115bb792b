import type { ESTree } from "rolldown/utils";
import { unknownData, type DataType, type AccessPaths } from "../../model/render.ts";
import type { DataQuestion, Question } from "../checker/checker.ts";
import { isLeaf } from "../checker/data.ts";
import { markLength, questionOf } from "../schema/type-reading.ts";
import { isConst, propertyName } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";

/** A value in the source. Object literals are read here; the checker answers for other expressions. */
export type SourceData =
  | { readonly kind: "unknown" | "nothing" }
  | { readonly kind: "asked"; readonly question: Question }
  | {
      readonly kind: "object";
      readonly properties: ReadonlyMap<string, SourceData>;
      readonly spreads: readonly SourceData[];
      /** True if a key is computed, so that other keys may exist. */
      readonly open: boolean;
    };

const maxDepth = 50;

export function readSourceData(module: SourceModule, node: ESTree.Node | undefined, depth = 0): SourceData {
  if (node === undefined) return { kind: "nothing" };
  const bare = withoutWrappers(node);
  if (bare.type === "SpreadElement" || depth > maxDepth) return { kind: "unknown" };
  if (bare.type === "ObjectExpression") return readSourceObject(module, bare, depth);
  if (bare.type === "Literal" && bare.value === null && bare.raw === "null") return { kind: "nothing" };
  return {
    kind: "asked",
    question: bare.type === "Identifier" ? nameQuestion(module, bare) : questionOf(module, bare),
  };
}

/** Removes parentheses, `satisfies` and `as const`. Any other `as` changes the type. */
function withoutWrappers(node: ESTree.Node): ESTree.Node {
  if (node.type === "ParenthesizedExpression" || node.type === "TSSatisfiesExpression")
    return withoutWrappers(node.expression);
  return node.type === "TSAsExpression" && isConst(node.typeAnnotation) ? withoutWrappers(node.expression) : node;
}

/** Creates a question about a name; a question about a node takes longer. */
function nameQuestion(module: SourceModule, { start }: ESTree.Span): Question {
  return { path: module.path, start: start - markLength(module) };
}

function readSourceObject(module: SourceModule, node: ESTree.ObjectExpression, depth: number): SourceData {
  const properties = new Map<string, SourceData>();
  const spreads: SourceData[] = [];
  let open = false;
  for (const property of node.properties) {
    const name = property.type === "SpreadElement" ? undefined : propertyName(property);
    if (property.type === "SpreadElement") spreads.push(readSourceData(module, property.argument, depth + 1));
    else if (name === undefined) open = true;
    else properties.set(name, readSourceProperty(module, property, depth));
  }
  return { kind: "object", properties, spreads, open };
}

function readSourceProperty(module: SourceModule, property: ESTree.ObjectProperty, depth: number): SourceData {
  if (property.kind !== "init" || property.method) return { kind: "unknown" };
  const value = withoutWrappers(property.value);
  if (value.type === "ObjectExpression") return readSourceObject(module, value, depth + 1);
  return { kind: "asked", question: nameQuestion(module, property.key) };
}

/** Lists the questions for the checker, as deep as `paths` read the value. */
export function questionsIn(data: SourceData, paths: AccessPaths): readonly DataQuestion[] {
  if (data.kind === "asked") return [{ ...data.question, paths }];
  if (data.kind !== "object") return [];
  const inside = [...data.properties].flatMap(([name, property]) => {
    const inner = paths.properties.get(name);
    return inner && !isLeaf(inner) ? questionsIn(property, inner) : [];
  });
  return [...inside, ...data.spreads.flatMap((spread) => questionsIn(spread, paths))];
}

/** Builds the type of the data from the answers: `next` returns the answer to each question in turn. */
export function withAnswers(data: SourceData, paths: AccessPaths, next: () => DataType): DataType {
  if (data.kind === "asked") return next();
  if (data.kind !== "object") return { kind: data.kind };
  const properties = [...data.properties].map(([name, property]): [string, DataType] => {
    const inner = paths.properties.get(name);
    return [name, inner && !isLeaf(inner) ? withAnswers(property, inner, next) : unknownData];
  });
  const own: DataType = { kind: "object", properties: new Map(properties) };
  const members = [own, ...data.spreads.map((spread) => withAnswers(spread, paths, next))];
  if (data.open) members.push(unknownData);
  return members.length === 1 ? own : { kind: "union", members };
}
