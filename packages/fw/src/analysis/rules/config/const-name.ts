import { notConstant } from "../phrases.ts";
import type { Rule } from "../../rule.ts";

export const constName: Rule = {
  id: "const-name",
  title: "The name of a resource is a string constant",
  *declaration(read) {
    if (!("text" in read) || read.text.value !== undefined) return;
    const named = Object.hasOwn(examples, read.kind) ? (read.kind as keyof typeof examples) : undefined;
    if (named)
      yield notConstant(`the name of the ${named}`, read.text, `write a literal, such as "${examples[named]}"`);
    if (read.kind !== "site") return;
    yield notConstant(
      "the site's directory",
      read.text,
      'write a literal, such as "./web", or put it together from constants',
    );
  },
};

const examples = {
  entity: "orders",
  secret: "MAIL_KEY",
  bucket: "photos",
  queue: "emails",
  topic: "order-placed",
  cron: "digest",
  job: "rebuild",
  singleton: "relay",
};
