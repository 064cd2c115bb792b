import { Refusal } from "../command.ts";

/** A name that Google would not take is told before anything is written. */
export function fitting<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
}
