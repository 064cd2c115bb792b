import type { App } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import { sampleOfType } from "./example.ts";
import { valueDecoder, type ValueDecoder } from "./value-decoder.ts";

/** The preview of a mail in the console of a dev server. */
export interface MailForm {
  readonly name: string;
  /** A sample of the data and its decoder; absent if JSON cannot represent the data or no finite sample exists. */
  readonly data?: {
    readonly sample: string;
    /** Absent for a mail without data. */
    readonly decoder?: ValueDecoder;
  };
}

/** Returns the previews of an application's mails, in the order of the source. */
export function mailForms({ packages }: App): readonly MailForm[] {
  return allOfKind(packages, "mail").map(({ name, data }) => {
    if (data === undefined) return { name };
    const { schema, types } = data;
    if (schema.kind === "void") return { name, data: { sample: "" } };
    const sample = sampleOfType(schema, types);
    if (sample === undefined) return { name };
    return { name, data: { sample: JSON.stringify(sample.value, undefined, 2), decoder: valueDecoder(schema, types) } };
  });
}
