import { descriptionOf } from "../../../model/kinds.ts";
import { notConstant } from "../phrases.ts";
import type { Rule } from "../../rule.ts";

export const constName: Rule = {
  id: "const-name",
  title: "The name of a resource, and the directory of a Site, is a string constant",
  *declaration(read) {
    if (!("text" in read) || read.text.value !== undefined) return;
    const { example } = descriptionOf(read.kind);
    if (example !== undefined)
      yield notConstant(`the name of the ${read.kind}`, read.text, `write a literal, such as "${example}"`);
    if (read.kind !== "site") return;
    yield notConstant("the site's directory", read.text, 'write a literal, such as "./web", or combine constants');
  },
};
