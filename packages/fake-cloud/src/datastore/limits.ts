import { invalid, Refusal } from "../errors.ts";
import type { Key, Value } from "./values.ts";

/** Refuses a key that no entity can have. Does not check for reserved names. */
export function checkKey({ path = [] }: Key): void {
  if (path.length === 0) throw invalid("The key path must not be empty.");
  for (const { kind = "", name, id } of path) {
    if (kind === "") throw invalid("The kind is the empty string.");
    if (name === undefined && id === undefined) throw new Refusal("UNIMPLEMENTED", "The fake makes no ids.");
    if (name === "" || id === "0" || id === 0) throw invalid("A key path element must not be incomplete.");
    for (const text of [kind, name ?? ""])
      if (Buffer.byteLength(text) > 1500)
        throw invalid("The kind or the name of a key path element is longer than 1500 bytes.");
  }
}

/** Refuses a string that no index can hold. */
export function checkText(name: string, { stringValue = "" }: Value): void {
  if (Buffer.byteLength(stringValue) > 1500)
    throw invalid(`The value of property "${name}" is longer than 1500 bytes.`);
}
