import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeTagged } from "../../lib/tagged-json.ts";
import { writeAll } from "../../lib/codec.ts";
import type { Definitions, Platform } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import type { AccessRequest, PlatformGrant } from "../grants.ts";
import { bytes, type AnyOperation } from "../operation.ts";
import { operations, operationsOf, transactionSteps, type PortName } from "../operations.ts";
import { item } from "../testing/conformance/fixture.ts";
import { examples, stepExamples } from "../testing/examples.ts";
import { argumentsHeader } from "./protocol.ts";
import { operations as served } from "./server/operations.ts";
import { openServed, type Served } from "./testing/served.ts";

type Args = readonly unknown[];
type Step = keyof typeof transactionSteps;

const definitions: Definitions = {
  kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }],
  buckets: ["photos"],
};

/** Every operation of the contract, individually. */
const all = (Object.keys(operations) as PortName[]).flatMap((port) =>
  operationsOf(port).map(([name, operation]) => {
    const example = (examples[port] as unknown as Readonly<Record<string, () => Args>>)[name];
    if (example === undefined) throw new Error(`${port}.${name} has no example`);
    return { name: `${port}/${name}`, port, operation, example, call: callOf(port, name) };
  }),
);
const steps = (Object.keys(transactionSteps) as Step[]).map((name) => ({
  name: `transactions/commit of ${name}`,
  operation: transactionSteps[name] as unknown as AnyOperation,
  example: stepExamples[name] as () => Args,
  call: async (platform: Platform, given: Args): Promise<unknown> => {
    const transaction = await platform.entities.begin();
    (transaction[name] as (...given: Args) => unknown).apply(transaction, [...given]);
    return transaction.commit();
  },
}));
const askedFor = [...all, ...steps].map((each) => ({ ...each, asks: each.operation.accesses(...each.example()) }));

let platform: Served;
let granted: readonly PlatformGrant[] | undefined;

beforeAll(async () => {
  platform = await openServed(definitions, { grants: () => granted ?? everyGrant });
});
afterAll(() => platform.dispose());

describe.each(askedFor.filter(({ asks }) => asks.length > 0))("$name", ({ call, example, asks }) => {
  test("is denied to a service without a grant, and to one that has it for another resource", async () => {
    for (const grants of [[], grantsOf(asks).map((each) => ({ ...each, name: `${each.name}x` }))]) {
      granted = grants;
      expect(await codeOf(call(platform.client, example()))).toBe("denied");
    }
  });

  test("is answered to a service with any of the grants that allow it", async () => {
    for (const each of grantsOf(asks)) {
      granted = [each];
      expect(await codeOf(call(platform.client, example())), each.operation).not.toBe("denied");
    }
  });
});

test("nothing needs no grant but what a token or a handle allows", () => {
  const free = [...served].filter(([path]) => path.startsWith("/transactions/") || path.startsWith("/objects/"));
  const open = askedFor.filter(({ asks }) => asks.length === 0).map(({ name }) => name);
  expect(open).toEqual(["objects/openGrant"]);
  const own = free.map(([path]) => path.slice(1)).filter((path) => !askedFor.some(({ name }) => name === path));
  expect(own).toEqual([
    "objects/read",
    "objects/forget",
    "transactions/get",
    "transactions/query",
    "transactions/count",
    "transactions/total",
    "transactions/commit",
    "transactions/rollback",
  ]);
});

describe.each(all)("$name", ({ name, operation: { args: codecs }, example }) => {
  test("refuses arguments that are none, too many, or of another type", async () => {
    granted = undefined;
    const right = writeAll(codecs, example());
    const wrong = right.map((_, i) => right.map((value, k) => (i === k && codecs[k] !== bytes ? [[]] : value)));
    for (const given of [...wrong.filter((_, i) => codecs[i] !== bytes), [...right, 1], [], {}, null, "x"])
      expect(await post(`/${name}`, encodeTagged(given)), JSON.stringify(given)).toMatchObject({ status: 400 });
    for (const text of ["", "[", `${"[".repeat(600)}${"]".repeat(600)}`, '[{"$int":"x"}]', '[{"$what":1}]'])
      expect(await post(`/${name}`, text), text.slice(0, 20)).toMatchObject({ status: 400 });
  });
});

test("no malformed request ends the server, and none is a fault", async () => {
  granted = undefined;
  const nested = ["[".repeat(100_000), `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`];
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.json(),
    fc.constantFrom<unknown>(...nested, { $date: "x" }, { $num: "NaN" }, { $none: 1 }, '{"$int":"x"}', "null", "[]"),
  );
  const changed = fc.constantFrom(...all).chain(({ name, operation, example }) => {
    const given = writeAll(operation.args, example());
    const change = fc.record({ at: fc.nat(given.length - 1), to: anything });
    return change.map(({ at, to }) => ({ path: `/${name}`, body: JSON.stringify(given.with(at, to)) }));
  });
  const nonsense = fc.record({
    path: fc.oneof(fc.constantFrom(...served.keys()), fc.webPath()),
    body: fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom(...nested)),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: changed }, nonsense), async ({ path, body }) => {
      const { status } = await post(path, body);
      expect([200, 400, 403, 409]).toContain(status);
    }),
    { numRuns: 200 },
  );
  expect(platform.logged.filter((line) => !/has no grant/.test(String(line)))).toEqual([]);
  expect(await platform.client.entities.get(item("none"))).toBeUndefined();
});

/** Grants that together permit all operations. */
const everyGrant = askedFor.flatMap(({ asks }) => grantsOf(asks));

function grantsOf(asks: readonly AccessRequest[]): readonly PlatformGrant[] {
  return asks.flatMap(({ kind, name, by }) => by.map((operation) => ({ kind, name, operation })));
}

function callOf(port: PortName, name: string): (platform: Platform, given: Args) => Promise<unknown> {
  return async (asked, given) =>
    (asked[port] as unknown as Readonly<Record<string, (...given: Args) => unknown>>)[name]?.(...given);
}

async function codeOf(result: Promise<unknown>): Promise<string | undefined> {
  return result.then(
    () => undefined,
    (error: unknown) => (error instanceof PlatformError ? error.code : String(error)),
  );
}

/** Sends a raw request from a service and returns the response. Operations with a body get a single byte. */
function post(path: string, text: string): Promise<{ readonly status: number }> {
  // Longer arguments are sent as a body, because the size of headers is limited.
  const isUpload = path === "/objects/put" && text.length < 4000;
  const headers = {
    authorization: `Bearer ${platform.token("web")}`,
    ...(isUpload && { [argumentsHeader]: Buffer.from(text).toString("base64url") }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${platform.url}${path}`, { method: "POST", headers, agent: false }, (response) => {
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0 }));
    });
    sent.on("error", reject);
    sent.end(isUpload ? "1" : text);
  });
}
