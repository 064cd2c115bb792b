import type { Key } from "../../contract.ts";
import { encodeDocument } from "../../document.ts";
import type { Encoded } from "../../document.ts";
import type { Fields } from "../../values.ts";

/** A document as far as a client knows its kind: what is indexed is checked where it is kept. */
export function encodeUnindexed({ kind, id }: Key, fields: Fields): Encoded {
  return encodeDocument({ kind, properties: [], composites: [], indexed: new Map() }, { kind, id }, fields);
}
