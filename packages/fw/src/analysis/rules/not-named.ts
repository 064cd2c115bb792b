import type { Span } from "../../model/diagnostic.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { DeclarationReference, ReferenceForm } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";
import { because, causedBy } from "./phrases.ts";

/** What has to be named, in words. */
export interface Wanted {
  /** Such as "a policy". */
  readonly noun: string;
  /** What a declaration of it looks like, in place of which it is named. */
  readonly example: string;
  /** The way to choose among several of them; by default there is none but to name one. */
  readonly choice?: string;
}

/**
 * What is wrong where the name of a declaration has to stand; nothing where one does, or where another rule has told.
 */
export function* notNamed(reference: DeclarationReference, at: Span, wanted: Wanted): Iterable<Finding> {
  const { noun, example } = wanted;
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
      yield { at, message, hint: hintFor(reference.form, wanted) ?? hint, ...causedBy(reference.cause) };
    }
  }
}

/** The hint for an expression that may well come down to a declaration; undefined where nothing is known of it. */
function hintFor(form: ReferenceForm | undefined, { noun, choice }: Wanted): string | undefined {
  const kind = noun.replace(/^an? /, "");
  switch (form?.kind) {
    case undefined:
      return undefined;
    case "spread":
      return `write each ${kind} out by its name`;
    case "choice":
      return choice ?? `name one ${kind} here`;
    case "computed":
      return `name one ${kind} here, such as ${form.member}`;
    case "call":
      return `name the ${kind} itself, or a const that holds it: calls are not followed`;
    default:
      return assertNever(form);
  }
}
