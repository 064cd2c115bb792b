import { notConstant } from "../phrases.ts";
import type { Rule } from "../../rule.ts";

export const constName: Rule = {
  id: "const-name",
  title: "The name of a resource is a string constant",
  *declaration(read) {
    if (read.kind === "entity" && read.text.value === undefined) {
      yield notConstant("the name of the entity", read.text, 'write a literal, such as "orders"');
    }
    if (read.kind === "secret" && read.text.value === undefined) {
      yield notConstant("the name of the secret", read.text, 'write a literal, such as "MAIL_KEY"');
    }
    if (read.kind !== "site" || read.text.value !== undefined) return;
    yield notConstant(
      "the site's directory",
      read.text,
      'write a literal, such as "./web", or put it together from constants',
    );
  },
};
