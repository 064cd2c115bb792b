import { setImmediate } from "node:timers/promises";
import type { Definitions, Platform, SleepOptions } from "../../contract.ts";
import { readDefinitions } from "../../definitions.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { Datastore } from "../entities/datastore.ts";
import { fillIndexes } from "../entities/index-fill.ts";
import { IndexRegistry, settledMs } from "../entities/index-registry.ts";
import { openGcp } from "../open.ts";
import { onFake } from "./fake.ts";
import { PushedDispatcher } from "./pushed-dispatcher.ts";

/** A clock that skips the pauses between conflicting writes. */
class PatientClock extends SteppedClock {
  override sleep(milliseconds: number, signal?: AbortSignal, { contention = false }: SleepOptions = {}): Promise<void> {
    return contention ? setImmediate() : super.sleep(milliseconds, signal);
  }
}

/**
 * Opens a platform on a new fake cloud. `prepare` opens a platform for another version and fills its indexes, as a
 * deploy does.
 */
export async function versionedPlatform(definitions: Definitions) {
  const clock = new PatientClock();
  const on = await onFake(clock);
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const datastore = new Datastore(on.cloud, on.place);
  const dispatcher = await PushedDispatcher.open(on, { ...on, definitions });
  const platforms = new Map<Definitions, Platform>([[definitions, await openGcp(on.place, definitions, on.cloud)]]);
  const builtWith = (built: Definitions): Platform => platforms.get(built) as Platform;
  const prepare = async (next: Definitions) => {
    platforms.set(next, await openGcp(on.place, next, on.cloud));
    await new IndexRegistry(datastore, readDefinitions(next)).current();
    await clock.advance(settledMs);
    await Promise.all(next.kinds.map(({ kind }) => fillIndexes(datastore, kind)));
    await clock.advance(settledMs);
    return { commit: async () => {}, abandon: () => {} };
  };
  const close = async (): Promise<void> => {
    await Promise.all([...platforms.values()].map((platform) => platform.close()));
  };
  return { ...builtWith(definitions), dispatcher, builtWith, prepare, close };
}
