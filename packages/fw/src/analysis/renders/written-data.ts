import type { ESTree } from "rolldown/utils";
import { unknownData, type DataType, type AccessPaths } from "../../model/render.ts";
import type { DataQuestion, Question } from "../checker/checker.ts";
import { isLeaf } from "../checker/data.ts";
import { markLength, questionOf } from "../schema/type-reading.ts";
import { isConst, propertyName } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";

/** A value as it is written: an object literal is opened, for the rest the checker is asked. */
export type Written =
  | { readonly kind: "unknown" | "nothing" }
  | { readonly kind: "asked"; readonly question: Question }
  | {
      readonly kind: "object";
      readonly properties: ReadonlyMap<string, Written>;
      readonly spreads: readonly Written[];
      /** True where a key is computed. */
      readonly open: boolean;
    };

/** Object literals inside object literals that are still opened. */
const deepest = 50;

export function writtenData(module: SourceModule, node: ESTree.Node | undefined, depth = 0): Written {
  if (node === undefined) return { kind: "nothing" };
  const bare = withoutWrapping(node);
  if (bare.type === "SpreadElement" || depth > deepest) return { kind: "unknown" };
  if (bare.type === "ObjectExpression") return writtenObject(module, bare, depth);
  if (bare.type === "Literal" && bare.value === null && bare.raw === "null") return { kind: "nothing" };
  return { kind: "asked", question: bare.type === "Identifier" ? nameAt(module, bare) : questionOf(module, bare) };
}

/** Parentheses, `satisfies` and `as const` leave a literal what it is; any other `as` says what the value counts as. */
function withoutWrapping(node: ESTree.Node): ESTree.Node {
  if (node.type === "ParenthesizedExpression" || node.type === "TSSatisfiesExpression")
    return withoutWrapping(node.expression);
  return node.type === "TSAsExpression" && isConst(node.typeAnnotation) ? withoutWrapping(node.expression) : node;
}

/** A name is found faster than the node that spans it. */
function nameAt(module: SourceModule, { start }: ESTree.Span): Question {
  return { path: module.path, start: start - markLength(module) };
}

function writtenObject(module: SourceModule, node: ESTree.ObjectExpression, depth: number): Written {
  const properties = new Map<string, Written>();
  const spreads: Written[] = [];
  let open = false;
  for (const property of node.properties) {
    const name = property.type === "SpreadElement" ? undefined : propertyName(property);
    if (property.type === "SpreadElement") spreads.push(writtenData(module, property.argument, depth + 1));
    else if (name === undefined) open = true;
    else properties.set(name, writtenProperty(module, property, depth));
  }
  return { kind: "object", properties, spreads, open };
}

function writtenProperty(module: SourceModule, property: ESTree.ObjectProperty, depth: number): Written {
  if (property.kind !== "init" || property.method) return { kind: "unknown" };
  const value = withoutWrapping(property.value);
  if (value.type === "ObjectExpression") return writtenObject(module, value, depth + 1);
  return { kind: "asked", question: nameAt(module, property.key) };
}

/** What has to be asked so that a value is known as far as it is wanted. */
export function questionsIn(written: Written, paths: AccessPaths): readonly DataQuestion[] {
  if (written.kind === "asked") return [{ ...written.question, paths }];
  if (written.kind !== "object") return [];
  const inside = [...written.properties].flatMap(([name, property]) => {
    const inner = paths.properties.get(name);
    return inner && !isLeaf(inner) ? questionsIn(property, inner) : [];
  });
  return [...inside, ...written.spreads.flatMap((spread) => questionsIn(spread, paths))];
}

/** The same walk with the answers: `next` gives the one to each question in turn. */
export function answered(written: Written, paths: AccessPaths, next: () => DataType): DataType {
  if (written.kind === "asked") return next();
  if (written.kind !== "object") return { kind: written.kind };
  const properties = [...written.properties].map(([name, property]): [string, DataType] => {
    const inner = paths.properties.get(name);
    return [name, inner && !isLeaf(inner) ? answered(property, inner, next) : unknownData];
  });
  const own: DataType = { kind: "object", properties: new Map(properties) };
  const members = [own, ...written.spreads.map((spread) => answered(spread, paths, next))];
  if (written.open) members.push(unknownData);
  return members.length === 1 ? own : { kind: "union", members };
}
