import { relative, sep } from "node:path";
import type { ESTree } from "rolldown/utils";
import { propertyName } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import type { TypeReading } from "./type-reading.ts";

/** The longest chain of base classes. */
const longestChain = 50;

/** True for a class of the application that has only public fields, including inherited ones. */
export function isClassOfFields(
  reading: TypeReading,
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  const module = reading.project.module(relative(reading.project.root, file).split(sep).join("/"));
  let current = module && declaredClass(module, name);
  for (let step = 0; step < longestChain && current; step += 1) {
    reading.modules.add(current.module.path);
    const { node } = current;
    const fields = fieldsOf(node);
    if (!fields || fields.some((field) => propertyName(field) === undefined)) return false;
    if (!node.superClass) return true;
    current =
      node.superClass.type === "Identifier" ? resolvedClass(reading, current.module, node.superClass.name) : undefined;
  }
  return false;
}

interface DeclaredClass {
  readonly module: SourceModule;
  readonly node: ESTree.Class;
}

function resolvedClass(reading: TypeReading, from: SourceModule, name: string): DeclaredClass | undefined {
  const resolved = resolveName(reading.project, from, name);
  return resolved.kind === "binding" ? declaredClass(resolved.module, resolved.binding.name) : undefined;
}

/** Finds a class that no other declaration merges with. */
function declaredClass(module: SourceModule, name: string): DeclaredClass | undefined {
  const [node, ...more] = module.types.get(name) ?? [];
  const isClass = node?.type === "ClassDeclaration" || node?.type === "ClassExpression";
  return isClass && more.length === 0 ? { module, node } : undefined;
}

/**
 * Returns the fields of a class; undefined if instances have anything besides public fields. Static members are
 * ignored.
 */
export function fieldsOf({ abstract, body }: ESTree.Class): readonly ESTree.PropertyDefinition[] | undefined {
  const fields: ESTree.PropertyDefinition[] = [];
  for (const member of body.body) {
    if (member.type === "StaticBlock" || ("static" in member && member.static)) continue;
    if (member.type === "MethodDefinition" && member.kind === "constructor" && !declaresFields(member)) continue;
    const isField = member.type === "PropertyDefinition" && member.key.type !== "PrivateIdentifier";
    if (!isField || (member.accessibility ?? "public") !== "public") return undefined;
    fields.push(member);
  }
  return abstract === true ? undefined : fields;
}

function declaresFields({ value }: ESTree.MethodDefinition): boolean {
  return value.params.some(({ type }) => type === "TSParameterProperty");
}
