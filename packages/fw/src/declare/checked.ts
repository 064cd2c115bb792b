import { pathStep } from "../lib/path-step.ts";
import { Errorf } from "./errors.ts";

/** What zod, valibot, arktype and others make: a schema of https://standardschema.dev. */
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

/** What is given to a schema: `order: Body<SchemaInput<typeof NewOrder>>`. */
export type SchemaInput<S extends StandardSchema> = SchemaTypes<S>["input"];

/** What a schema makes of it. */
export type SchemaOutput<S extends StandardSchema> = SchemaTypes<S>["output"];

/** Issues that a refusal tells. */
const mostIssues = 100;

/**
 * What a schema makes of a value: `const order = await checked(NewOrder, req.order)`. A value that it does not take is a 400 with all
 * that is wrong in its `details.problems`, as of a request that misses its types. `at` says where the value was: `body`, `query limit`.
 */
export async function checked<S extends StandardSchema>(
  schema: S,
  value: SchemaInput<S>,
  at: string = "body",
): Promise<SchemaOutput<S>> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues
    .slice(0, mostIssues)
    .map(({ path, message }) => ({ at: placeOf(at, path), problem: message }));
  const [first = { at, problem: "is refused" }] = problems;
  throw Errorf(400, `${first.at}: ${first.problem}`, { details: { problems } });
}

/** `body items[2].price` */
function placeOf(at: string, path: SchemaIssue["path"] = []): string {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  const steps = keys.map((key) => pathStep(typeof key === "number" ? key : String(key))).join("");
  return steps === "" ? at : `${at} ${steps.replace(/^\./, "")}`;
}
