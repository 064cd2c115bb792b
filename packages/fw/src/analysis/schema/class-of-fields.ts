import type { ESTree } from "rolldown/utils";
import { relativePath } from "../../lib/relative-path.ts";
import { propertyName } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import type { TypeReading } from "./type-reading.ts";

/** Maximum number of base classes in a chain. */
const longestChain = 50;

/** True for an application class with only public fields, including inherited ones. */
export function isClassOfFields(
  reading: TypeReading,
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  const module = reading.project.module(relativePath(reading.project.root, file));
  let current = module && declaredClass(module, name);
  for (let step = 0; step < longestChain && current; step += 1) {
    reading.modules.add(current.module.path);
    const { node } = current;
    if (!fieldsOf(node)) return false;
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

/** Finds a class that is not merged with another declaration; undefined for other names. */
function declaredClass(module: SourceModule, name: string): DeclaredClass | undefined {
  const [node, ...more] = module.types.get(name) ?? [];
  const isClass = node?.type === "ClassDeclaration" || node?.type === "ClassExpression";
  return isClass && more.length === 0 ? { module, node } : undefined;
}

/**
 * Returns the instance fields of a class by name; undefined if it is abstract or has other instance members than public
 * fields with literal names.
 */
export function fieldsOf({ abstract, body }: ESTree.Class): ReadonlyMap<string, ESTree.PropertyDefinition> | undefined {
  const fields = new Map<string, ESTree.PropertyDefinition>();
  for (const member of body.body) {
    if (member.type === "StaticBlock" || ("static" in member && member.static)) continue;
    if (member.type === "MethodDefinition" && member.kind === "constructor" && !declaresFields(member)) continue;
    const isField = member.type === "PropertyDefinition" && member.key.type !== "PrivateIdentifier";
    if (!isField || (member.accessibility ?? "public") !== "public") return undefined;
    const name = propertyName(member);
    if (name === undefined) return undefined;
    fields.set(name, member);
  }
  return abstract === true ? undefined : fields;
}

function declaresFields({ value }: ESTree.MethodDefinition): boolean {
  return value.params.some(({ type }) => type === "TSParameterProperty");
}
