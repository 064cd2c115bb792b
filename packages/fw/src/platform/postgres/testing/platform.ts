import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Definitions, Platform } from "../../contract.ts";
import type { Dispatcher } from "../../messages.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { bytesOnDisk, type ObjectBytes } from "../objects/bytes.ts";
import { openPostgres } from "../open.ts";
import type { TestServer } from "./server.ts";

let schemas = 0;

/** Opens an empty platform in its own schema. By default, the bytes of objects are in a directory. */
export async function emptyPlatform(
  server: Pick<TestServer, "address">,
  definitions: Definitions,
  clock: Clock | undefined,
  bytes?: ObjectBytes,
): Promise<{ readonly platform: Platform; dispose(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "fw-objects-"));
  const options = { bytes: bytes ?? bytesOnDisk(directory) };
  const address = server.address(`test_${++schemas}`);
  const dispose = async (): Promise<void> => rmSync(directory, { recursive: true });
  if (!(clock instanceof SteppedClock)) {
    const platform = await openPostgres(address, definitions, { ...options, ...(clock && { clock }) });
    return { platform, dispose };
  }
  const own = new SteppedClock(clock.now());
  const platform = await openPostgres(address, definitions, { ...options, clock: own });
  return { platform: { ...platform, dispatcher: following(platform.dispatcher, own, clock) }, dispose };
}

/**
 * Wraps a dispatcher so that its clock follows the test's clock from pause to pause. A direct jump would skip the
 * statements between pauses, which take real time.
 */
function following(dispatcher: Dispatcher, own: SteppedClock, clock: SteppedClock): Dispatcher {
  const follow = async (): Promise<void> => {
    do await dispatcher.idle();
    while (own.skip(clock.now()));
    await own.advance(clock.now() - own.now());
    await dispatcher.idle();
  };
  return {
    deliver: (deliver) => dispatcher.deliver(deliver),
    idle: async (options) => {
      await follow();
      if (options?.all) await dispatcher.idle(options);
    },
    dead: (options) => dispatcher.dead(options),
    replay: (consumer, id) => dispatcher.replay(consumer, id),
    drop: (consumer, id) => dispatcher.drop(consumer, id),
  };
}
