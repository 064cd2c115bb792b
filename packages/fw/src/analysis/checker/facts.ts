import {
  SymbolFlags,
  type Checker,
  type Project,
  type Symbol,
  type Type,
  type TypeReference,
} from "typescript/unstable/async";
import { unknownData, type ScalarName } from "../../model/render.ts";

/** What a type is, as far as a template can tell. */
export type Shape =
  | typeof unknownData
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "list"; readonly items: readonly Type[] }
  | { readonly kind: "map"; readonly values: Type }
  | { readonly kind: "any"; readonly members: readonly Type[] }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: "object";
  readonly symbols: readonly Symbol[];
  /** What keys hold that no property names; asked when it matters. */
  readonly values: () => Promise<readonly Type[]>;
}

/** What the server has told of a program's types: each is asked about once. */
export interface Facts {
  /** Of an object, a union or an intersection. */
  shape(type: Type): Promise<Shape>;
  typesOf(symbols: readonly Symbol[]): Promise<readonly (Type | undefined)[]>;
}

const known = new WeakMap<Project, Facts>();

export function factsOf(project: Project): Facts {
  const facts = known.get(project) ?? new ProjectFacts(project.checker);
  known.set(project, facts);
  return facts;
}

class ProjectFacts implements Facts {
  readonly checker: Checker;
  readonly #shapes = new Map<number, Promise<Shape>>();
  readonly #targets = new Map<number, Promise<Target>>();
  readonly #types = new Map<number, Promise<Type | undefined>>();

  constructor(checker: Checker) {
    this.checker = checker;
  }

  shape(type: Type): Promise<Shape> {
    const found = this.#shapes.get(type.id) ?? shapeOf(this, type);
    this.#shapes.set(type.id, found);
    return found;
  }

  /** What instances of a generic type are. */
  target(generic: Type): Promise<Target> {
    const found = this.#targets.get(generic.id) ?? targetOf(this.checker, generic);
    this.#targets.set(generic.id, found);
    return found;
  }

  typesOf(symbols: readonly Symbol[]): Promise<readonly (Type | undefined)[]> {
    const fresh = symbols.filter(({ id }) => !this.#types.has(id));
    if (fresh.length > 0) {
      const asked = this.checker.getTypeOfSymbol(fresh);
      for (const [index, { id }] of fresh.entries())
        this.#types.set(
          id,
          asked.then((types) => types[index]),
        );
    }
    return Promise.all(symbols.map(async ({ id }) => this.#types.get(id)));
  }
}

type Target = "list" | "platform" | "other";

async function targetOf(checker: Checker, generic: Type): Promise<Target> {
  if (generic.isTupleType() || (await checker.isArrayType(generic))) return "list";
  const symbol = await generic.getSymbol();
  return symbol && isOfPlatform(symbol) ? "platform" : "other";
}

async function shapeOf(facts: ProjectFacts, type: Type): Promise<Shape> {
  if (type.isUnionType()) return { kind: "any", members: await type.getTypes() };
  if (type.isIntersectionType()) {
    const parts = await type.getTypes();
    return parts.every((part) => part.isObjectType()) ? objectShape(facts.checker, type) : unknownData;
  }
  return (await namedShape(facts, type)) ?? objectShape(facts.checker, type);
}

/** Lists, and what comes with the platform; only classes, interfaces and their instances can be one of these. */
async function namedShape(facts: ProjectFacts, type: Type): Promise<Shape | undefined> {
  if (!type.isTypeReference()) return type.isClassOrInterface() ? platformShape(facts, type) : undefined;
  const target = await facts.target(await type.getTarget());
  if (target === "list") return { kind: "list", items: await facts.checker.getTypeArguments(type) };
  return target === "platform" ? platformShape(facts, type) : undefined;
}

/** A mapped type such as `Pick` is written there, too, and is an object like any other. */
function isOfPlatform(symbol: Symbol): boolean {
  if (!(symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface))) return false;
  return symbol.declarations.some(({ path }) => /(^bundled:|\/lib\.[\w.]*\.d\.ts$|\/@types\/node\/)/.test(path));
}

/** A map is read by its keys, whatever these are. What else comes with the platform has few properties of its own. */
async function platformShape({ checker }: ProjectFacts, type: Type): Promise<Shape | undefined> {
  const symbol = await type.getSymbol();
  if (symbol === undefined || !isOfPlatform(symbol)) return undefined;
  if (symbol.name === "Date" || symbol.name === "Promise") return { kind: "scalar", name: symbol.name };
  if (!collections.has(symbol.name)) return unknownData;
  const [key, value] = await checker.getTypeArguments(type as TypeReference);
  if (key === undefined) return unknownData;
  return value === undefined ? { kind: "list", items: [key] } : { kind: "map", values: value };
}

const collections: ReadonlySet<string> = new Set(["Map", "ReadonlyMap", "Set", "ReadonlySet"]);

/** An object's own names. What can be gone through may hold entries that no property names. */
async function objectShape(checker: Checker, type: Type): Promise<Shape> {
  const all = await checker.getPropertiesOfType(type);
  if (all.some(({ escapedName }) => escapedName.startsWith("__@iterator"))) return unknownData;
  const symbols = all.filter(({ escapedName }) => !/^__[@#]/.test(escapedName));
  let values: Promise<readonly Type[]> | undefined;
  const ask = async (): Promise<readonly Type[]> =>
    (await checker.getIndexInfosOfType(type)).map(({ valueType }) => valueType);
  return { kind: "object", symbols, values: () => (values ??= ask()) };
}
