import type { App } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import { objectsOf } from "../model/evolution.ts";
import { sampleOfType } from "./example.ts";
import { valueDecoder, type ValueDecoder } from "./value-decoder.ts";

/** The editor for documents of an entity in the console of a dev server. */
export interface DocumentForm {
  readonly entity: string;
  /** The fields that the type declares, without the id; undefined if a document may have any field. */
  readonly fields?: readonly string[];
  /** A sample document as JSON; absent if the type has no finite value. */
  readonly sample?: string;
  readonly decoder: ValueDecoder;
}

/** Returns the editors for the entities whose type is fully known. */
export function documentForms({ packages, types }: App): readonly DocumentForm[] {
  return allOfKind(packages, "entity").flatMap(({ name, document }): readonly DocumentForm[] => {
    if (document === undefined) return [];
    const sample = sampleOfType(document, types);
    const objects = objectsOf(document, (id) => types[id]);
    return [
      {
        entity: name,
        ...(objects.length > 0 && { fields: objects.flatMap(({ fields }) => fields.map((field) => field.name)) }),
        ...(sample !== undefined && { sample: JSON.stringify(sample.value, undefined, 2) }),
        decoder: valueDecoder(document, types),
      },
    ];
  });
}
