import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Random } from "../random.ts";
import { member, project, testCloud, type Answer } from "../testing/client.ts";
import { withEmulator, startEmulator } from "../testing/google-emulators.ts";
import type { Value } from "./values.ts";

const api = "https://datastore.googleapis.com/v1/projects/demo-fw";
let cloud: Awaited<ReturnType<typeof testCloud>>;

beforeEach(async () => {
  cloud = await testCloud();
  cloud.grant(`serviceAccount:${member}`, "roles/datastore.user", project);
});
afterEach(() => cloud.stop());

const call = (method: string, body: object): Promise<Answer> => cloud.ask(`${api}:${method}`, { as: member, body });
const key = (name: string) => ({ partitionId: { projectId: "demo-fw" }, path: [{ kind: "Boat", name }] });
const boat = (name: string, length: number) => ({
  key: key(name),
  properties: { length: { integerValue: String(length) } },
});
const commit = (mutations: object[], transaction?: string): Promise<Answer> =>
  call(
    "commit",
    transaction === undefined
      ? { mode: "NON_TRANSACTIONAL", mutations }
      : { mode: "TRANSACTIONAL", mutations, transaction },
  );
const begin = async (): Promise<string> =>
  ((await call("beginTransaction", {})).json as { transaction: string }).transaction;
const codeOf = ({ status, json }: Answer): string =>
  status === 200 ? "OK" : (json as { error: { status: string } }).error.status;

describe("a transaction", () => {
  test("reads one moment, and commits unless something that it read has changed", async () => {
    await commit([{ insert: boat("a", 1) }]);
    const [one, two] = [await begin(), await begin()];
    for (const transaction of [one, two]) await call("lookup", { keys: [key("a")], readOptions: { transaction } });
    expect(codeOf(await commit([{ update: boat("a", 2) }], one))).toBe("OK");
    const { found } = (await call("lookup", { keys: [key("a")], readOptions: { transaction: two } })).json as {
      found: { entity: object }[];
    };
    expect(found[0]?.entity).toEqual(boat("a", 1));
    expect(codeOf(await commit([{ update: boat("a", 3) }], two))).toBe("ABORTED");
    expect(codeOf(await commit([], two))).toBe("INVALID_ARGUMENT");
  });

  test("is also aborted by what a query of it would find now, and by what it did not find", async () => {
    const query = {
      kind: [{ name: "Boat" }],
      filter: { propertyFilter: { property: { name: "length" }, op: "EQUAL", value: { integerValue: "1" } } },
    };
    const [one, two, three] = [await begin(), await begin(), await begin()];
    for (const transaction of [one, three]) await call("runQuery", { query, readOptions: { transaction } });
    await call("lookup", { keys: [key("a")], readOptions: { transaction: two } });
    await commit([{ insert: boat("b", 2) }]);
    expect(codeOf(await commit([{ upsert: boat("c", 9) }], three))).toBe("OK");
    await commit([{ insert: boat("a", 1) }]);
    expect(codeOf(await commit([{ upsert: boat("c", 9) }], one))).toBe("ABORTED");
    expect(codeOf(await commit([{ upsert: boat("c", 9) }], two))).toBe("ABORTED");
  });

  test("of many that add to the same number loses nothing", async () => {
    await commit([{ insert: boat("a", 0) }]);
    const add = async (): Promise<void> => {
      for (;;) {
        const transaction = await begin();
        const { found } = (await call("lookup", { keys: [key("a")], readOptions: { transaction } })).json as {
          found: { entity: ReturnType<typeof boat> }[];
        };
        const answer = await commit(
          [{ update: boat("a", Number(found[0]!.entity.properties.length.integerValue) + 1) }],
          transaction,
        );
        if (answer.status === 200) return;
        expect(codeOf(answer)).toBe("ABORTED");
      }
    };
    await Promise.all(Array.from({ length: 20 }, add));
    const { found } = (await call("lookup", { keys: [key("a")] })).json as { found: { entity: object }[] };
    expect(found[0]?.entity).toEqual(boat("a", 20));
  });

  test("that was left lying is over after four and a half minutes", async () => {
    const transaction = await begin();
    await cloud.clock.advance(270_000);
    expect(codeOf(await commit([{ insert: boat("a", 1) }], transaction))).toBe("INVALID_ARGUMENT");
  });
});

test("what was read at a time is read again as of that time", async () => {
  await commit([{ insert: boat("a", 1) }]);
  const { readTime } = (await call("lookup", { keys: [key("a")] })).json as { readTime: string };
  await commit([{ update: boat("a", 2) }, { insert: boat("b", 2) }]);
  const readOptions = { readTime };
  const { json } = await call("lookup", { keys: [key("a"), key("b")], readOptions });
  expect(json).toMatchObject({ readTime, found: [{ entity: boat("a", 1) }], missing: [{ entity: { key: key("b") } }] });
  const { batch } = (await call("runQuery", { query: { kind: [{ name: "Boat" }] }, readOptions })).json as {
    batch: { entityResults: object[] };
  };
  expect(batch.entityResults).toHaveLength(1);
  await cloud.clock.advance(600_000);
  expect(codeOf(await call("lookup", { keys: [key("a")], readOptions }))).toBe("FAILED_PRECONDITION");
});

test("a write that expects another version says so and writes nothing", async () => {
  const { mutationResults } = (await commit([{ insert: boat("a", 1) }])).json as {
    mutationResults: { version: string }[];
  };
  const { version } = mutationResults[0]!;
  await commit([{ update: boat("a", 2) }]);
  const answer = await commit([{ update: boat("a", 3), baseVersion: version }, { upsert: boat("b", 1) }]);
  expect(answer.json).toMatchObject({ mutationResults: [{ conflictDetected: true }, {}] });
  expect((await call("lookup", { keys: [key("a")] })).json).toMatchObject({ found: [{ entity: boat("a", 2) }] });
});

const byId = (op: string, name: string): object => {
  const value = { keyValue: key(name) };
  const filter = {
    property: { name: "__key__" },
    op,
    value: op === "IN" ? { arrayValue: { values: [value] } } : value,
  };
  return { query: { kind: [{ name: "Boat" }], filter: { propertyFilter: filter } } };
};
const byLength = (value: Value): object => ({
  query: {
    kind: [{ name: "Boat" }],
    filter: { propertyFilter: { property: { name: "length" }, op: "GREATER_THAN", value } },
  },
});

/** Requests with a value that is unusual or that no entity can have, and whether each is refused. */
const unusual: readonly [what: string, method: string, body: object, isRefused: boolean][] = [
  ...["EQUAL", "IN", "LESS_THAN", "GREATER_THAN_OR_EQUAL"].flatMap((op): [string, string, object, boolean][] => [
    [`${op} an empty name`, "runQuery", byId(op, ""), true],
    [`${op} a name of 1501 bytes`, "runQuery", byId(op, "x".repeat(1501)), true],
    [`${op} a name of 1500 bytes`, "runQuery", byId(op, "x".repeat(1500)), false],
    [`${op} a reserved name`, "runQuery", byId(op, "__x__"), false],
    [`${op} a name with NUL`, "runQuery", byId(op, "a\0b"), false],
  ]),
  ["a text of 1501 bytes", "runQuery", byLength({ stringValue: "x".repeat(1501) }), true],
  ["a text of 1500 bytes", "runQuery", byLength({ stringValue: "x".repeat(1500) }), false],
  ["a lookup of an empty name", "lookup", { keys: [key("")] }, true],
  ["a lookup of a name of 1501 bytes", "lookup", { keys: [key("x".repeat(1501))] }, true],
  ["a lookup of a reserved name", "lookup", { keys: [key("__x__")] }, false],
];

test.each(unusual)(
  "values that no entity can have are refused in reads: %s",
  async (_what, method, body, isRefused) => {
    expect(codeOf(await call(method, body))).toBe(isRefused ? "INVALID_ARGUMENT" : "OK");
  },
);

test("a reserved name cannot be written", async () => {
  expect(codeOf(await commit([{ upsert: boat("__x__", 1) }]))).toBe("INVALID_ARGUMENT");
});

test("who may read may not write, and a condition keeps to one database", async () => {
  cloud.grant("serviceAccount:viewer@x", "roles/datastore.viewer", project);
  expect((await cloud.ask(`${api}:lookup`, { as: "viewer@x", body: { keys: [key("a")] } })).status).toBe(200);
  const refusal = await cloud.ask(`${api}:commit`, {
    as: "viewer@x",
    body: { mode: "NON_TRANSACTIONAL", mutations: [{ upsert: boat("a", 1) }] },
  });
  expect(refusal.json).toMatchObject({
    error: { code: 403, status: "PERMISSION_DENIED", message: "Missing or insufficient permissions." },
  });
  cloud.grant("serviceAccount:one@x", "roles/datastore.user", project, {
    expression: `resource.name == "projects/demo-fw/databases/shop"`,
  });
  const statuses = ["shop", "other"].map(
    async (databaseId) => (await cloud.ask(`${api}:beginTransaction`, { as: "one@x", body: { databaseId } })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 403]);
});

describe.skipIf(!withEmulator("datastore"))(
  "beside Google's emulator (skipped without FW_GOOGLE=1, and where the Google Cloud CLI has not installed it)",
  () => {
    const tries = 25 * Number(process.env["FW_TRIES"] ?? 1);

    test("the same requests get the same answers", { timeout: 600_000 }, async () => {
      const google = await startEmulator("datastore");
      try {
        const random = new Random(Number(process.env["FW_SEED"] ?? 5));
        const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random.next() * items.length)]!;
        const both = async (method: string, body: object): Promise<void> => {
          const theirs = await fetch(`${google.url}/v1/projects/demo-fw:${method}`, {
            method: "POST",
            headers: { authorization: "Bearer owner", "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          const ours = await call(method, body);
          const expected = (await theirs.json()) as object;
          expect(comparable(ours.status, ours.json), JSON.stringify({ method, body })).toEqual(
            comparable(theirs.status, expected),
          );
        };
        for (const [, method, body] of unusual) await both(method, { ...body, partitionId: { projectId: "demo-fw" } });
        const values: readonly Value[] = [
          { nullValue: null },
          { integerValue: "1" },
          { integerValue: "-7" },
          { timestampValue: "1970-01-01T00:00:00.000002Z" },
          { booleanValue: false },
          { booleanValue: true },
          { stringValue: "" },
          { stringValue: "zebra" },
          { stringValue: "é" },
          { stringValue: "😀" },
          { doubleValue: 0.5 },
          { doubleValue: -2 },
          { stringValue: "hidden", excludeFromIndexes: true },
        ];
        const properties = () => ({
          ...(random.chance(0.9) && { a: pick(values) }),
          ...(random.chance(0.9) && { b: pick(values) }),
          ...(random.chance(0.5) && {
            many: { arrayValue: { values: [pick(values.slice(0, 12)), pick(values.slice(0, 12))] } },
          }),
        });
        const name = () => pick(["a", "b", "c", "d", "e", "f", "g", "é", "😀"]);
        for (let at = 0; at < tries; at++) {
          const entity = () => ({ key: key(name()), properties: properties() });
          await both("commit", {
            mode: "NON_TRANSACTIONAL",
            mutations: [
              pick([
                { insert: entity() },
                { update: entity() },
                { upsert: entity() },
                { upsert: entity() },
                { delete: key(name()) },
              ]),
            ],
          });
          await both("lookup", { keys: [key(name())] });
          const range = pick(["LESS_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL"]);
          const filters = [
            ...(random.chance(0.5)
              ? [{ propertyFilter: { property: { name: "b" }, op: "EQUAL", value: pick(values.slice(0, 12)) } }]
              : []),
            ...(random.chance(0.5)
              ? [{ propertyFilter: { property: { name: "a" }, op: range, value: pick(values.slice(0, 12)) } }]
              : []),
            ...(random.chance(0.2)
              ? [{ propertyFilter: { property: { name: "many" }, op: "EQUAL", value: pick(values.slice(0, 12)) } }]
              : []),
          ];
          const direction = pick(["ASCENDING", "DESCENDING"]);
          const query = {
            kind: [{ name: "Boat" }],
            ...(filters.length > 0 && { filter: { compositeFilter: { op: "AND", filters } } }),
            order: [
              { property: { name: "a" }, direction },
              { property: { name: "__key__" }, direction },
            ],
            limit: pick([1, 3, 100]),
          };
          await both("runQuery", { partitionId: { projectId: "demo-fw" }, query });
          const counted = {
            aggregations: [{ alias: "n", count: {} }],
            nestedQuery: { kind: query.kind, ...("filter" in query && { filter: query.filter }) },
          };
          await both("runAggregationQuery", { partitionId: { projectId: "demo-fw" }, aggregationQuery: counted });
        }
      } finally {
        google.stop();
      }
    });
  },
);

/** Returns a response without the parts that differ between databases. */
function comparable(status: number, body: object): unknown {
  const { error, found, missing, batch } = body as {
    error?: { status: string };
    found?: { entity: object }[];
    missing?: { entity: { key: { path: object } } }[];
    batch?: {
      entityResults?: { entity: { key: { path: object }; properties: object } }[];
      aggregationResults?: object;
      moreResults: string;
    };
  };
  return {
    status,
    error: error?.status,
    found: found?.map(({ entity }) => (entity as { properties?: object }).properties ?? {}),
    missing: missing?.map(({ entity }) => entity.key.path),
    rows: batch?.entityResults?.map(({ entity }) => [entity.key.path, entity.properties]),
    count: batch?.aggregationResults,
  };
}
