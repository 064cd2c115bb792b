import { Refusal } from "./command.ts";
import type { IO } from "./io.ts";

/** What comes of `work`; when the person stops the command first, `close` ends what it waits for and the command is refused. */
export async function stoppable<T>(io: IO, work: () => Promise<T>, close: () => void): Promise<T> {
  let stopped = false;
  const done = io.onStop(() => {
    stopped = true;
    close();
  });
  try {
    const result = await work();
    if (!stopped) return result;
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    done();
  }
  throw new Refusal("stopped");
}
