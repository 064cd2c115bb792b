import type { Span } from "../../model/diagnostic.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { DeclarationReference, ReferenceForm } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";
import { because, causedBy } from "./phrases.ts";

/** The kind of declaration that must be named, in words. */
export interface NameRequirement {
  /** Such as "a policy". */
  readonly noun: string;
  readonly example: string;
  /** The hint for a conditional expression such as `a ? b : c`; by default, to name one. */
  readonly choice?: string;
}

/** Reports an expression that should name a declaration, unless another rule has reported it. */
export function* notNamed(reference: DeclarationReference, at: Span, requirement: NameRequirement): Iterable<Finding> {
  const { noun, example } = requirement;
  const hint = `declare it and name it here: ${example}`;
  switch (reference.kind) {
    case "declared":
    case "misplaced":
      return;
    case "inline":
      yield {
        at,
        fix: { kind: "extract", at, name: reference.name },
        message: `${noun} is declared here, but only its name is allowed`,
        hint,
      };
      return;
    case "another":
      yield { at, message: `this is declared by ${reference.name}, not ${noun}`, hint };
      return;
    case "none": {
      const message = `this is not the name of ${noun}${because(reference.why)}`;
      yield { at, message, hint: hintFor(reference.form, requirement) ?? hint, ...causedBy(reference.cause) };
    }
  }
}

/** Returns a hint for an expression that may evaluate to a declaration; undefined for other expressions. */
function hintFor(form: ReferenceForm | undefined, { noun, choice }: NameRequirement): string | undefined {
  const kind = noun.replace(/^an? /, "");
  switch (form?.kind) {
    case undefined:
      return undefined;
    case "spread":
      return `write each ${kind} by its name`;
    case "choice":
      return choice ?? `name one ${kind} here`;
    case "computed":
      return `name one ${kind} here, such as ${form.member}`;
    case "call":
      return `name the ${kind} itself, or its const: fw does not follow calls`;
    default:
      return assertNever(form);
  }
}
