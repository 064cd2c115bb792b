import type { Span } from "../../model/diagnostic.ts";
import type { Reference } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";
import { because, causedBy } from "./phrases.ts";

/** What has to be named, in words. */
export interface Wanted {
  /** Such as "a policy". */
  readonly noun: string;
  /** What a declaration of it looks like, in place of which it is named. */
  readonly example: string;
}

/** What is wrong where the name of a declaration has to stand; nothing where one does, or where another rule has told. */
export function* notNamed(reference: Reference, at: Span, { noun, example }: Wanted): Iterable<Finding> {
  const hint = `declare it, ${example}, and name it here`;
  switch (reference.kind) {
    case "declared":
    case "misplaced":
      return;
    case "inline":
      yield { at, message: `${noun} is declared where only its name can stand`, hint };
      return;
    case "another":
      yield { at, message: `this is declared by ${reference.name}, and is not ${noun}`, hint };
      return;
    case "none": {
      const message = `this is not the name of ${noun}${because(reference.why)}`;
      yield { at, message, hint, ...causedBy(reference.cause) };
    }
  }
}
