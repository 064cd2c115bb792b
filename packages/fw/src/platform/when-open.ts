import { changesOf } from "./changes.ts";
import { systemClock } from "./clock.ts";
import type { Platform } from "./contract.ts";
import type { Dispatcher } from "./messages.ts";
import { portsWith } from "./operations.ts";

/** Creates a platform whose calls wait until another platform has opened. */
export function whenOpen(opening: Promise<Platform & { readonly dispatcher: Dispatcher }>): Platform {
  // Each call reports the failure. A rejection before the first call must not count as unhandled.
  opening.catch(() => {});

  const ports = portsWith(
    (name, method) =>
      async (...args) => {
        const target = (await opening)[name] as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;
        return target[method]?.(...args);
      },
    async (options) => (await opening).entities.begin(options),
  );
  return {
    ...ports,
    dispatcher: whenDelivering(opening.then(({ dispatcher }) => dispatcher)),
    changes: {
      watch: (...args) => void opening.then((platform) => changesOf(platform).watch(...args)).catch(() => {}),
    },
    clock: systemClock,
    close: async () => (await opening).close(),
  };
}

/** Creates a dispatcher whose calls wait until another one has opened. */
function whenDelivering(opening: Promise<Dispatcher>): Dispatcher {
  opening.catch(() => {});
  return {
    idle: async (options) => (await opening).idle(options),
    dead: async (options) => (await opening).dead(options),
    replay: async (consumer, id) => (await opening).replay(consumer, id),
    drop: async (consumer, id) => (await opening).drop(consumer, id),
    deliver(handler) {
      const delivering = opening.then((dispatcher) => dispatcher.deliver(handler));
      delivering.catch(() => {});
      return { stop: async () => (await delivering.catch(() => undefined))?.stop() };
    },
  };
}
