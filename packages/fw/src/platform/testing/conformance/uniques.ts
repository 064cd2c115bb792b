import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Definitions, EntityStore, Key, Platform } from "../../contract.ts";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import { isPlatformError } from "../../errors.ts";
import { transact } from "../../transact.ts";
import type { Fields, Scalar } from "../../values.ts";
import { failure, fixture } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

/** People have a unique address and badge, and a team that several of them share. */
const definitions: Definitions = {
  kinds: [
    {
      kind: "person",
      properties: [{ name: "email", unique: true }, { name: "badge", unique: true }, { name: "team" }],
      composites: [],
    },
    { kind: "guest", properties: [{ name: "email", unique: true }], composites: [] },
  ],
};

export function uniqueTests(
  open: OpenPlatform,
  { histories, contenders }: { histories: number; contenders: number },
): void {
  test("a value that is one document's is refused to others, whichever way they are written", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    await entities.insert(person("a"), { email: "a@x", team: 1 });
    await entities.insert(person("b"), { email: "b@x", team: 1 });
    const ways: readonly [string, () => Promise<unknown>][] = [
      ["insert", () => entities.insert(person("c"), { email: "a@x" })],
      ["upsert of a new one", () => entities.upsert(person("c"), { email: "a@x" })],
      ["upsert over another", () => entities.upsert(person("b"), { email: "a@x" })],
      ["update", () => entities.update(person("b"), { email: "a@x" })],
      ["an insert of a transaction", () => transact(platform, async (tx) => tx.insert(person("c"), { email: "a@x" }))],
      ["an upsert of a transaction", () => transact(platform, async (tx) => tx.upsert(person("b"), { email: "a@x" }))],
      [
        "an update of what a transaction has read",
        () =>
          transact(platform, async (tx) => {
            await tx.get(person("b"));
            tx.update(person("b"), { email: "a@x" });
          }),
      ],
    ];
    for (const [name, write] of ways) {
      const refused: unknown = await write().catch((error: unknown) => error);
      expect(isPlatformError(refused, "taken") && refused.subject, name).toBe("email");
    }
    expect(await emails(entities)).toEqual({ a: "a@x", b: "b@x" });
    expect(await entities.get(person("c"))).toBeUndefined();
  });

  test("a value that is encoded as thousands of bytes is one document's, and others may begin like it", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    const long = "\0".repeat(1_400);
    await entities.insert(person("a"), { email: `${long}a` });
    await entities.insert(person("b"), { email: `${long}b` });
    const same = { email: `${long}a` };
    expect(await failure(() => entities.insert(person("c"), same))).toBe("taken");
    expect(await failure(() => entities.upsert(person("b"), same))).toBe("taken");
    const both = transact(platform, async (tx) => {
      tx.insert(person("c"), same);
      tx.insert(person("d"), { email: "d@x" });
    });
    expect(await failure(() => both)).toBe("taken");
    await entities.delete(person("a"));
    await entities.insert(person("c"), same);
    const query = { kind: "person", filters: [{ property: "email", op: "==", value: same.email } as const] };
    expect((await entities.query({ ...query, orders: [], limit: 5 })).documents.map(({ id }) => id)).toEqual(["c"]);
  });

  test("its own document keeps a value, and lets it go with another or with its end", async () => {
    const { entities } = await fixture(open, undefined, definitions);
    const version = await entities.insert(person("a"), { email: "a@x" });
    expect((await entities.get(person("a")))?.version).toBe(version);
    const next = await entities.update(person("a"), { email: "a@x", team: 2 }, { version });
    expect((await entities.get(person("a")))?.version).toBe(next);
    expect(await failure(() => entities.update(person("a"), { email: "c@x" }, { version }))).toBe("conflict");
    expect(await failure(() => entities.update(person("none"), { email: "c@x" }))).toBe("missing");
    expect(await failure(() => entities.insert(person("a"), { email: "c@x" }))).toBe("exists");
    await entities.upsert(person("a"), { email: "b@x" });
    await entities.insert(person("b"), { email: "a@x" });
    await entities.delete(person("b"));
    await entities.insert(person("c"), { email: "a@x" });
    expect(await emails(entities)).toEqual({ a: "b@x", c: "a@x" });
  });

  test("null, nothing, other kinds, other properties and other types of value are in nobody's way", async () => {
    const { entities } = await fixture(open, undefined, definitions);
    const values: readonly (Scalar | undefined)[] = [null, null, undefined, undefined, "1", 1, 1n, true, new Date(1)];
    for (const [i, email] of values.entries())
      await entities.insert(person(`p${i}`), email === undefined ? {} : { email, badge: `badge ${i}` });
    await entities.insert({ kind: "guest", id: "g" }, { email: "1" });
    await entities.insert(person("badge"), { badge: "1" });
    for (const email of ["1", 1, 1n, true, new Date(1), 1000n])
      expect(await failure(() => entities.insert(person("other"), { email })), String(email)).toBe("taken");
  });

  test("a transaction is judged by what it leaves", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    await entities.insert(person("a"), { email: "a@x" });
    await entities.insert(person("b"), { email: "b@x" });
    await transact(platform, async (tx) => {
      tx.upsert(person("a"), { email: "b@x" });
      tx.upsert(person("b"), { email: "a@x" });
    });
    expect(await emails(entities)).toEqual({ a: "b@x", b: "a@x" });
    await transact(platform, async (tx) => {
      tx.insert(person("c"), { email: "a@x" });
      tx.delete(person("b"));
    });
    expect(await emails(entities)).toEqual({ a: "b@x", c: "a@x" });
    const twins = transact(platform, async (tx) => {
      tx.insert(person("d"), { email: "d@x" });
      tx.insert(person("e"), { email: "d@x" });
    });
    expect(await failure(() => twins)).toBe("taken");
    const joining = transact(platform, async (tx) => {
      tx.upsert(person("a"), { email: "b@x", team: 3 });
      tx.insert(person("e"), { email: "b@x" });
    });
    expect(await failure(() => joining)).toBe("taken");
    expect(await emails(entities)).toEqual({ a: "b@x", c: "a@x" });
  });

  test("of many that want one value at once, one has it", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    const numbers = Array.from({ length: contenders }, (_, i) => i);
    const outcomes = await Promise.all(
      numbers.map((i) =>
        failure(() =>
          i % 2 === 0
            ? entities.upsert(person(`p${i}`), { email: "one@x" })
            : transact(platform, async (tx) => {
                await tx.get(person(`p${i}`));
                tx.insert(person(`p${i}`), { email: "one@x" });
              }),
        ),
      ),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set([undefined, "taken"]));
    expect(Object.values(await emails(entities))).toEqual(["one@x"]);
  });

  test("random writes, alone and at once, leave what a list of documents would that looks for each value", async () => {
    const platform = await fixture(open, undefined, definitions);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), async (turns) => {
        const model = new Map<string, Fields>();
        for (const id of Object.keys(await emails(platform.entities))) await platform.entities.delete(person(id));
        for (const turn of turns) {
          // Writes of one turn have values in common, but no documents.
          const own = turn.map((step, i) => step.map(([id, fields]): Write => [`${i} ${id}`, fields]));
          const results = await Promise.all(
            own.map(async (step) => [step, await failure(() => write(platform, step))] as const),
          );
          for (const [step, code] of results) {
            if (code === undefined) apply(model, step);
            else expect(code).toBe("taken");
          }
          expect(sharedValues(model)).toEqual([]);
          expect(await documents(platform.entities)).toEqual(Object.fromEntries(model));
          // If a write that ran alone was refused, the model must refuse it too.
          const [[step, code] = []] = results;
          if (results.length === 1 && step && code === "taken")
            expect(sharedValues(apply(new Map(model), step))).not.toEqual([]);
        }
      }),
      { numRuns: histories },
    );
  });
}

type Write = readonly [id: string, fields: Fields | undefined];

const value = fc.option(fc.constantFrom<Scalar>("x", "y", 1, 2n, null), { nil: undefined });
const fields: fc.Arbitrary<Fields | undefined> = fc.option(
  fc.record({ email: value, badge: value }).map((record) => {
    return Object.fromEntries(Object.entries(record).filter(([, each]) => each !== undefined)) as Fields;
  }),
  { nil: undefined },
);
/** The writes of one transaction, each to a different document. */
const steps: fc.Arbitrary<Write[]> = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), fields), {
  minLength: 1,
  maxLength: 3,
  selector: ([id]) => id,
});

async function write(platform: Platform, step: readonly Write[]): Promise<void> {
  const [only, more] = step;
  if (only && !more) {
    const [id, alone] = only;
    await (alone ? platform.entities.upsert(person(id), alone) : platform.entities.delete(person(id)));
    return;
  }
  await transact(platform, async (tx) => {
    for (const [id, each] of step) {
      if (each) tx.upsert(person(id), each);
      else tx.delete(person(id));
    }
  });
}

function apply(model: Map<string, Fields>, step: readonly Write[]): Map<string, Fields> {
  for (const [id, each] of step) {
    if (each) model.set(id, each);
    else model.delete(id);
  }
  return model;
}

/** Returns the values that several documents share. */
function sharedValues(model: ReadonlyMap<string, Fields>): string[] {
  const heldValues = [...model.values()].flatMap((each) =>
    ["email", "badge"].flatMap((name) => {
      const value = each[name];
      return value === undefined || value === null ? [] : [`${name} ${encodeTagged(value)}`];
    }),
  );
  return heldValues.filter((each, i) => heldValues.indexOf(each) !== i);
}

function person(id: string): Key {
  return { kind: "person", id };
}

async function documents(entities: EntityStore): Promise<Record<string, Fields>> {
  const { documents: all } = await entities.query({ kind: "person", filters: [], orders: [], limit: 1000 });
  return Object.fromEntries(all.map(({ id, fields: each }) => [id, each]));
}

async function emails(entities: EntityStore): Promise<Record<string, unknown>> {
  const all = Object.entries(await documents(entities));
  return Object.fromEntries(all.map(([id, { email }]) => [id, email]));
}
