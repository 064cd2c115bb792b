import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import { unwrap } from "../source/expression.ts";
import type { ConfigFault } from "./declaration-syntax.ts";
import { spanIn, type Source } from "./source.ts";

export interface Field {
  readonly name: string;
  readonly at: Span;
  /** `undefined` for a method or an accessor. */
  readonly value: ESTree.Expression | undefined;
}

export interface ObjectRead {
  /** By name; if a name repeats, the last property. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly faults: readonly ConfigFault[];
  /** False if some properties could not be read. */
  readonly complete: boolean;
}

/** Reads the properties of an object literal; any other expression is a fault. */
export function readObject(source: Source, node: ESTree.Node): ObjectRead {
  const object = unwrap(node);
  if (object.type !== "ObjectExpression") {
    return { fields: new Map(), faults: [{ kind: "held", at: spanIn(source, node) }], complete: false };
  }
  const fields = new Map<string, Field>();
  const faults: ConfigFault[] = [];
  for (const property of object.properties) {
    const read = readProperty(source, property);
    if ("kind" in read) faults.push(read);
    else fields.set(read.name, read);
  }
  return { fields, faults, complete: faults.length === 0 };
}

function readProperty(source: Source, property: ESTree.ObjectPropertyKind): Field | ConfigFault {
  if (property.type === "SpreadElement") return { kind: "spread", at: spanIn(source, property) };
  const { key } = property;
  if (property.computed) return { kind: "computed-name", at: spanIn(source, key) };
  const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "";
  const callable = property.method || property.kind !== "init";
  return { name, at: spanIn(source, key), value: callable ? undefined : property.value };
}
