import { compileFunction } from "node:vm";
import type { ValueDecoder } from "../generate/value-decoder.ts";
import { parseExact } from "../runtime/body/json-exact.ts";
import { BadInput as WrongType } from "../runtime/decode/bad-input.ts";
import * as primitives from "../runtime/generated.ts";
import type { InputProblem } from "./input.ts";

type DecodedJson = { readonly value: unknown } | { readonly problems: readonly InputProblem[] };

/**
 * Decodes JSON like a request body, checking the constraints of the type; `prepare` converts the parsed value first.
 * Lists every problem with its path.
 */
export function decodeJson(
  decoder: ValueDecoder,
  json: string,
  prepare: (value: unknown) => unknown = (value) => value,
): DecodedJson {
  const decode = compileFunction(decoder.code, ["runtime"])(primitives) as (value: unknown) => unknown;
  try {
    return { value: decode(prepare(decoder.exactIntegers ? parseExact(json) : JSON.parse(json))) };
  } catch (error) {
    // A RangeError means too many values or too much nesting.
    if (error instanceof SyntaxError || error instanceof RangeError)
      return { problems: [{ at: "", problem: error.message }] };
    if (error instanceof WrongType) return { problems: problemsOf(error) };
    throw error;
  }
}

/** Returns the problems, each with its path inside the value; "" for the value itself. */
function problemsOf({ message, details }: WrongType): readonly InputProblem[] {
  const { problems = [] } = (details ?? {}) as { readonly problems?: readonly InputProblem[] };
  if (problems.length === 0) return [{ at: "", problem: message }];
  return problems.map(({ at, problem }) => ({ at: at.replace(/^body ?/, ""), problem: withoutPlace(problem, at) }));
}

function withoutPlace(problem: string, at: string): string {
  return problem.startsWith(`${at}: `) ? problem.slice(at.length + 2) : problem;
}
