import {
  SymbolFlags,
  type Checker,
  type Project,
  type Symbol,
  type Type,
  type TypeReference,
} from "typescript/unstable/async";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { unknownData, type ScalarName } from "../../model/render.ts";

/** The shape of a type, as a template sees it. */
export type TypeShape =
  | typeof unknownData
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "list"; readonly items: readonly Type[] }
  | { readonly kind: "map"; readonly values: Type }
  | { readonly kind: "any"; readonly members: readonly Type[] }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: "object";
  readonly symbols: readonly Symbol[];
  /** The types of values under keys without a named property; queried on demand. */
  readonly values: () => Promise<readonly Type[]>;
}

/** Caches the checker's answers about the types of one program. */
export interface TypeFacts {
  /** Returns the shape of an object, a union or an intersection. */
  shape(type: Type): Promise<TypeShape>;
  typesOf(symbols: readonly Symbol[]): Promise<readonly (Type | undefined)[]>;
}

export const factsOf: (project: Project) => TypeFacts = cachedByObject(({ checker }) => new ProjectFacts(checker));

class ProjectFacts implements TypeFacts {
  readonly checker: Checker;
  readonly #shapes = new Map<number, Promise<TypeShape>>();
  readonly #targets = new Map<number, Promise<TargetKind>>();
  readonly #types = new Map<number, Promise<Type | undefined>>();

  constructor(checker: Checker) {
    this.checker = checker;
  }

  shape(type: Type): Promise<TypeShape> {
    const shape = this.#shapes.get(type.id) ?? shapeOf(this, type);
    this.#shapes.set(type.id, shape);
    return shape;
  }

  target(generic: Type): Promise<TargetKind> {
    const target = this.#targets.get(generic.id) ?? targetOf(this.checker, generic);
    this.#targets.set(generic.id, target);
    return target;
  }

  typesOf(symbols: readonly Symbol[]): Promise<readonly (Type | undefined)[]> {
    const fresh = symbols.filter(({ id }) => !this.#types.has(id));
    if (fresh.length > 0) {
      const answers = this.checker.getTypeOfSymbol(fresh);
      for (const [index, { id }] of fresh.entries())
        this.#types.set(
          id,
          answers.then((types) => types[index]),
        );
    }
    return Promise.all(symbols.map(async ({ id }) => this.#types.get(id)));
  }
}

type TargetKind = "list" | "platform" | "other";

async function targetOf(checker: Checker, generic: Type): Promise<TargetKind> {
  if (generic.isTupleType() || (await checker.isArrayType(generic))) return "list";
  const symbol = await generic.getSymbol();
  return symbol && isOfPlatform(symbol) ? "platform" : "other";
}

async function shapeOf(facts: ProjectFacts, type: Type): Promise<TypeShape> {
  if (type.isUnionType()) return { kind: "any", members: await type.getTypes() };
  if (type.isIntersectionType()) {
    const parts = await type.getTypes();
    return parts.every((part) => part.isObjectType()) ? objectShape(facts.checker, type) : unknownData;
  }
  return (await namedShape(facts, type)) ?? objectShape(facts.checker, type);
}

/** Returns the shape of a list or of a platform type, which is always a class or an interface; undefined for others. */
async function namedShape(facts: ProjectFacts, type: Type): Promise<TypeShape | undefined> {
  if (!type.isTypeReference()) return type.isClassOrInterface() ? platformShape(facts, type) : undefined;
  const target = await facts.target(await type.getTarget());
  if (target === "list") return { kind: "list", items: await facts.checker.getTypeArguments(type) };
  return target === "platform" ? platformShape(facts, type) : undefined;
}

/** True for the platform's classes and interfaces. Its mapped types such as `Pick` create ordinary objects. */
function isOfPlatform(symbol: Symbol): boolean {
  if (!(symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface))) return false;
  return symbol.declarations.some(({ path }) => /(^bundled:|\/lib\.[\w.]*\.d\.ts$|\/@types\/node\/)/.test(path));
}

/**
 * Returns the shape of a platform type; undefined for other types. Templates read maps by key, and few properties of
 * other platform types.
 */
async function platformShape({ checker }: ProjectFacts, type: Type): Promise<TypeShape | undefined> {
  const symbol = await type.getSymbol();
  if (symbol === undefined || !isOfPlatform(symbol)) return undefined;
  if (symbol.name === "Date" || symbol.name === "Promise") return { kind: "scalar", name: symbol.name };
  if (!collections.has(symbol.name)) return unknownData;
  const [key, value] = await checker.getTypeArguments(type as TypeReference);
  if (key === undefined) return unknownData;
  return value === undefined ? { kind: "list", items: [key] } : { kind: "map", values: value };
}

const collections: ReadonlySet<string> = new Set(["Map", "ReadonlyMap", "Set", "ReadonlySet"]);

/** Returns an object's named properties; `unknownData` for an iterable, which may have entries without a property. */
async function objectShape(checker: Checker, type: Type): Promise<TypeShape> {
  const all = await checker.getPropertiesOfType(type);
  if (all.some(({ escapedName }) => escapedName.startsWith("__@iterator"))) return unknownData;
  const symbols = all.filter(({ escapedName }) => !/^__[@#]/.test(escapedName));
  let values: Promise<readonly Type[]> | undefined;
  const ask = async (): Promise<readonly Type[]> =>
    (await checker.getIndexInfosOfType(type)).map(({ valueType }) => valueType);
  return { kind: "object", symbols, values: () => (values ??= ask()) };
}
