import type { ConsoleModel } from "../generate/console-model.ts";
import { reachable, type Schema, type TypeTable } from "../model/schema.ts";

/** The type of a value that the user enters, with the named types that it mentions. */
interface ValueForm {
  readonly schema: Schema;
  readonly types: TypeTable;
}

/** Returns the form with a name, such as `document orders`; undefined if its type is not known. */
export function valueForm(name: string, model: ConsoleModel | undefined): ValueForm | undefined {
  const { schemas = {}, types = {} } = model?.forms ?? {};
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) return undefined;
  const ids = reachable(schema, types);
  return { schema, types: Object.fromEntries(Object.entries(types).filter(([id]) => ids.has(id))) };
}
