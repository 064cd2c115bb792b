import type { Mail, MailData } from "../../model/mail.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";

export interface ParsedMail extends ParsedNamed<"mail"> {
  /** Set once the types are read. `data` is absent if JSON cannot represent it. */
  readonly types?: { readonly data?: MailData };
}

export const mail: DeclarationReader<ParsedMail, Mail> = {
  read: (source) => nameOnly.read(source),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    return model && { ...model, ...parsed.types };
  },
};
