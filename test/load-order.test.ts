import { expect, test, vi } from "vitest";
import { build } from "./support/build.ts";
import { launchDev, startDev, writeApplication } from "./support/dev-app.ts";
import { importTest, testedApp, type TestRunner } from "./support/fw-test.ts";
import { tries, triesMore } from "../packages/fw/src/lib/testing/tries.ts";
import { Chance } from "./types/random.ts";
import { startServe } from "./support/served.ts";

vi.setConfig({ testTimeout: 600_000 });

type Files = Readonly<Record<string, string>>;

/**
 * Two packages that import each other: one needs the other's topic at load time, the other needs a queue when called.
 */
const shop = (mail: string): Record<string, string> => ({
  "orders/orders.ts": `import { API, Topic } from "fw";
import { emails } from "../${mail}/mail.ts";
export const placed = Topic<string>("placed");
export const place = API("GET /place", async (ctx): Promise<string> => { await emails.send(ctx, "1"); return "${mail}"; });`,
  [`${mail}/mail.ts`]: `import { Queue, Subscribe } from "fw";
import { placed } from "../orders/orders.ts";
export const emails = Queue<string>("emails");
export const onPlaced = Subscribe(placed, async (ctx, id) => emails.send(ctx, id));`,
});

/** A package that subscribes to a bucket's event, while the bucket's package calls it. */
const buckets: Files = {
  "orders/orders.ts": `import { API, Bucket } from "fw";
import { quote } from "../mail/mail.ts";
export const files = Bucket("files");
export const place = API("GET /buckets", (ctx): Promise<string> => quote.call(ctx, {}));`,
  "mail/mail.ts": `import { API, Subscribe } from "fw";
import { files } from "../orders/orders.ts";
export const quote = API("GET /quote", (): string => "42");
export const onFile = Subscribe(files.uploaded, async () => {});`,
};

/** A worker that calls a module that subscribes to the dead letters of the worker's queue. */
const ledger: Files = {
  "ledger/tasks.ts": `import { API, Queue, Worker } from "fw";
import { note } from "./ledger.ts";
export const tasks = Queue<string>("tasks");
export const deliver = Worker(tasks, (ctx, id) => note(ctx, id));
export const place = API("GET /ledger", async (ctx): Promise<string> => { await tasks.send(ctx, "1"); return "42"; });`,
  "ledger/ledger.ts": `import { type Context, Subscribe } from "fw";
import { tasks } from "./tasks.ts";
const { dead } = tasks;
export const bury = Subscribe(dead, async (ctx, { message }) => note(ctx, message));
export const note = async (ctx: Context, id: string): Promise<void> => ctx.log.info("noted", { id });`,
};

/** Modules that import each other through a module that re-exports them all. One subscribes to events of accounts. */
const people: Files = {
  "people/index.ts": `export * from "./people.ts";\nexport * from "./welcome.ts";\nexport * from "./cards.ts";`,
  "people/people.ts": `import { API, Auth } from "fw";
import { greeting } from "./index.ts";
export const auth = Auth({ password: true });
export const place = API("GET /people", (): string => greeting());`,
  "people/welcome.ts": `import { Subscribe } from "fw";
import { auth, cards } from "./index.ts";
export const onRegistered = Subscribe(auth.registered, async () => {});
export const onCard = Subscribe(cards.dead, async () => {});
export const greeting = (): string => "42";`,
  "people/cards.ts": `import { Queue, Worker } from "fw";
import { greeting } from "./index.ts";
export const cards = Queue<string>("cards");
export const print = Worker(cards, async () => void greeting());`,
};

/** Three groups of modules that do not import each other, in one application. */
const groups = { buckets, ledger, people };

test.each(["mail", "zmail"])(
  "packages that import each other start in whatever order their names are: %s",
  async (mail) => {
    await using dev = await startDev(shop(mail));
    expect(await dev.get("/place")).toMatchObject({ status: 200, body: `"${mail}"` });
  },
);

test("modules that import each other and use each other's events start in one process and as services", async () => {
  const files = { ...buckets, ...ledger, ...people };
  await using one = await startDev(files);
  await build(one.root);
  await using server = await startServe(["--data", `${one.root}/.fw/served`], { cwd: one.root });
  for (const group of Object.keys(groups)) {
    expect([group, await one.get(`/${group}`)]).toMatchObject([group, { status: 200, body: '"42"' }]);
    expect(await (await fetch(`${server.url}/${group}`)).json()).toBe("42");
  }
});

// Only nightly: `fw serve`, tested above, runs the same bundles, and Google Cloud loads modules in the same order.
test.runIf(triesMore)("they start under fw dev --services and load for Google Cloud, too", async () => {
  await using many = await startDev({ ...buckets, ...ledger, ...people }, "--services");
  for (const group of Object.keys(groups))
    expect([group, await many.get(`/${group}`)]).toMatchObject([group, { status: 200, body: '"42"' }]);
  await build(many.root, "--platform", "gcp");
});

test("what loads in one process loads in every service: modules at random that import each other and need each other's events", async () => {
  for (let round = 0; round < tries(1); round += 1) {
    const files = randomModules(new Chance(seed + round));
    await using one = launchDev(writeApplication(files), []);
    await Promise.race([one.says("http://localhost:"), one.says("(import)")]);
    // A build loads every service, and the analysis refuses code that no order can load.
    const built = await build(one.root).catch(String);
    const outcome = one.output().includes("(import)") ? /\(import\)/ : /^service /;
    expect(built, JSON.stringify(files, null, 1)).toMatch(outcome);
  }
});

const seed = Number(process.env["FW_SEED"] ?? 5);

/**
 * Returns modules in three packages. Each calls some others, and subscribes to events of some that precede it in a
 * random order.
 */
function randomModules(chance: Chance): Files {
  const count = triesMore ? 6 : 4;
  const order = Array.from({ length: count }, (_, index) => index);
  for (const index of order) {
    const other = chance.below(count);
    [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
  }
  const path = (index: number): string => `p${index % 3}/m${index}.ts`;
  const modules = order.map((index, place): [string, string] => {
    const others = order.filter((other) => other !== index);
    const calls = others.filter(() => chance.below(4) === 0);
    const needs = order.slice(0, place).filter(() => chance.below(3) === 0);
    const imports = [...new Set([...calls, ...needs])].toSorted(() => chance.below(3) - 1);
    return [
      path(index),
      [
        `import { API, Bucket, Queue, Subscribe, Worker } from "fw";`,
        ...imports.map((other) => `import { q${other}, b${other}, f${other} } from "../${path(other)}";`),
        `export const q${index} = Queue<string>("q${index}");`,
        `export const b${index} = Bucket("b${index}");`,
        `export const f${index} = (n: number): number => (n > 0 ? n${calls.map((other) => ` + f${other}(n - 1)`).join("")} : 0);`,
        `export const w${index} = Worker(q${index}, async () => void f${index}(2));`,
        `export const a${index} = API("GET /f${index}", (): number => f${index}(2));`,
        ...needs.map(
          (other) => `export const d${index}${other} = Subscribe(q${other}.dead, async () => void f${index}(1));`,
        ),
        ...needs.map(
          (other) => `export const u${index}${other} = Subscribe(b${other}.uploaded, async () => void f${index}(1));`,
        ),
      ].join("\n"),
    ];
  });
  return Object.fromEntries(modules);
}

test.each<TestRunner>(["node", "vitest"])(
  "modules that import each other load in a test in whatever order it imports them: %s",
  async (runner) => {
    const orders = ["orders/orders.ts", "mail/mail.ts"];
    const tests = [orders, orders.toReversed()].map((paths, index): [string, string] => {
      const imports = paths.map((path, place) => `import * as m${place} from "../${path}";`).join("\n");
      return [
        `test/order${index}.test.ts`,
        `${imports}
${importTest(runner)}
import { newTestApp } from "fw/testing";
test("it loads", async (t) => {
  await using app = await newTestApp();
  const response = await app.fetch("/buckets");
  if (response.status !== 200) throw new Error(String(response.status));
  void [m0, m1, t];
});`,
      ];
    });
    using app = testedApp(runner, { ...buckets, ...Object.fromEntries(tests) });
    const ran = await app.run();
    expect(ran.output).not.toMatch(/before initialization/);
    expect(ran.code, ran.output).toBe(0);
  },
);

test("packages that need each other while they are loaded are told the way around, and a save mends it", async () => {
  const files = shop("mail");
  const worker = `import { Worker } from "fw";\nexport const send = Worker(emails, async () => {});\n`;
  const both = { ...files, "orders/orders.ts": files["orders/orders.ts"] + "\n" + worker };
  await using dev = launchDev(writeApplication(both), []);
  await dev.says("orders/orders.ts → mail/mail.ts → orders/orders.ts");
  expect(dev.output()).toContain("move the shared values into a module that both import");
  dev.write({
    "mail/send.ts": `import { emails } from "./mail.ts";\n${worker}`,
    "orders/orders.ts": files["orders/orders.ts"] ?? "",
  });
  expect(await dev.eventually("/place", ({ status }) => status === 200)).toMatchObject({ body: '"mail"' });
});
