import { systemClock } from "./clock.ts";
import type { Platform } from "./contract.ts";
import type { Dispatcher } from "./messages.ts";
import { portsWith } from "./operations.ts";

/** A platform whose answers wait for another to open. */
export function whenOpen(opening: Promise<Platform & { readonly dispatcher: Dispatcher }>): Platform {
  // Whoever asks is told; until then nobody has to handle it.
  opening.catch(() => {});

  const ports = portsWith(
    (name, method) =>
      async (...given) => {
        const target = (await opening)[name] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;
        return target[method]?.(...given);
      },
    async (options) => (await opening).entities.begin(options),
  );
  return {
    ...ports,
    dispatcher: whenDelivering(opening.then(({ dispatcher }) => dispatcher)),
    clock: systemClock,
    close: async () => (await opening).close(),
  };
}

/** Deliveries begin when the platform is there. */
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
