import { mostProblems } from "../lib/limits.ts";
import { pathStep } from "../lib/path-step.ts";
import { Errorf } from "./errors.ts";

/** A schema that implements https://standardschema.dev, such as one from zod, valibot or arktype. */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type SchemaTypes<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>;

/** The input type of a schema: `order: Body<SchemaInput<typeof NewOrder>>`. */
export type SchemaInput<S extends StandardSchema> = SchemaTypes<S>["input"];

/** The output type of a schema. */
export type SchemaOutput<S extends StandardSchema> = SchemaTypes<S>["output"];

/**
 * Validates a value with a schema and returns its output: `const order = await checked(NewOrder, req.order)`. An
 * invalid value throws a 400 that lists the issues in `details.problems`, like fw's own validation. `at` names the
 * value in messages: `body`, `query limit`.
 */
export async function checked<S extends StandardSchema>(
  schema: S,
  value: SchemaInput<S>,
  at: string = "body",
): Promise<SchemaOutput<S>> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues
    .slice(0, mostProblems)
    .map(({ path, message }) => ({ at: placeOf(at, path), problem: message }));
  const [first = { at, problem: "is refused" }] = problems;
  throw Errorf(400, `${first.at}: ${first.problem}`, { details: { problems } });
}

/** Formats the location of an issue: `body items[2].price`. */
function placeOf(at: string, path: SchemaIssue["path"] = []): string {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  const steps = keys.map((key) => pathStep(typeof key === "number" ? key : String(key))).join("");
  return steps === "" ? at : `${at} ${steps.replace(/^\./, "")}`;
}
