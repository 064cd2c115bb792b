import * as fc from "fast-check";

/** A value that code can throw and that resists inspection; each call of `make` creates a new one. */
export interface Hostile {
  readonly what: string;
  readonly make: () => unknown;
}

const refuse = (): never => {
  throw new Error("nobody looks at this");
};

const members = ["message", "stack", "name", "cause", "toString", "toJSON", "code", "status", "then"] as const;

const plain: readonly Hostile[] = [
  { what: "undefined", make: () => undefined },
  { what: "null", make: () => null },
  { what: "a symbol", make: () => Symbol("thrown") },
  { what: "a bigint", make: () => 5n },
  { what: "a function", make: () => refuse },
  {
    what: "an object without prototype",
    make: () => Object.assign(Object.create(null), { message: "odd" }) as unknown,
  },
  { what: "a proxy that was revoked", make: revoked },
  { what: "an error that is its own cause", make: ownCause },
  { what: "a class whose text is no text", make: () => ({ toString: () => ({}) }) },
];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function ownCause(): unknown {
  const error = new Error("round and round");
  error.cause = error;
  return error;
}

/** An error or object with members that throw when read, or that are not strings. */
const resisting = fc
  .record({
    error: fc.boolean(),
    throwing: fc.subarray([...members]),
    wrong: fc.subarray([...members]),
    brand: fc.constantFrom(undefined, "fw.status-error", "fw.denied", "fw.email-taken"),
  })
  .map(({ error, throwing, wrong, brand }): Hostile => ({
    what: `${error ? "an error" : "an object"}${brand ?? ""}: ${throwing.join()} throw, ${wrong.join()} are no text`,
    make() {
      const value: object = error ? new Error("with a message") : {};
      if (brand !== undefined) Object.defineProperty(value, Symbol.for(brand), { value: true });
      // Computes the stack now: V8 builds it lazily from properties that throw below.
      void (value as Error).stack;
      for (const name of wrong) Object.defineProperty(value, name, { value: { wrong: true }, configurable: true });
      for (const name of throwing) Object.defineProperty(value, name, { get: refuse, configurable: true });
      return value;
    },
  }));

const traps = ["get", "has", "getPrototypeOf", "ownKeys", "getOwnPropertyDescriptor"] as const;

/** A proxy of an error with traps that throw. */
const proxies = fc.subarray([...traps], { minLength: 1 }).map((trapped): Hostile => ({
  what: `a proxy whose ${trapped.join()} throw`,
  make: () => new Proxy(new Error("behind a proxy"), Object.fromEntries(trapped.map((trap) => [trap, refuse]))),
}));

const alone = fc.oneof(fc.constantFrom(...plain), resisting, proxies);

/** Any of these values, or an error caused by one. */
export const hostile: fc.Arbitrary<Hostile> = fc.oneof(
  { weight: 4, arbitrary: alone },
  {
    weight: 1,
    arbitrary: alone.map(({ what, make }) => ({
      what: `an error caused by ${what}`,
      make: () => new Error("caused", { cause: make() }),
    })),
  },
);
