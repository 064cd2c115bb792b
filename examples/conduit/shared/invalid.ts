import { isTaken, reply, type ErrorAnswer, type Reply } from "fw";

/** Validation errors by field, in the format of the contract. */
export interface Invalid {
  errors: Record<string, string[]>;
}

/** Creates the error response to an invalid request. */
export function invalid(errors: Invalid["errors"]): Reply<Invalid, 422> {
  return reply({ errors }, { status: 422 });
}

/** Returns errors for missing or blank fields; undefined if there are none. */
export function blank(fields: Readonly<Record<string, string | undefined>>): Invalid["errors"] | undefined {
  const missing = Object.keys(fields).filter((name) => (fields[name] ?? "").trim() === "");
  if (missing.length === 0) return undefined;
  return Object.fromEntries(missing.map((name) => [name, ["can't be blank"]]));
}

/** Awaits `work`. Returns an error response if the value of one of `fields` is taken. */
export async function unlessTaken<T>(fields: readonly string[], work: Promise<T>): Promise<T | Reply<Invalid, 422>> {
  try {
    return await work;
  } catch (error) {
    const taken = fields.find((field) => isTaken(error, field));
    if (taken === undefined) throw error;
    return invalid({ [taken]: ["has already been taken"] });
  }
}

/** Formats all other errors the same way: invalid requests, missing tokens, missing articles. */
export function errorsOf({ message, problems }: ErrorAnswer): Invalid {
  if (problems.length === 0) return { errors: { body: [message] } };
  return { errors: Object.fromEntries(problems.map(({ at, problem }) => [at.replace(/^.*[ .]/, ""), [problem]])) };
}
