import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAppBench, type AppBench } from "../testing/app-bench.ts";

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench();
});
afterAll(() => bench.close());

const declared = `
import { API, Alert, Channel, Counter, Histogram, Page, Queue, Role, Secret, absent, percentile, rate, ratio } from "fw";
import * as fw from "fw";
export const order = API("POST /orders", () => ({ ok: true }));
export const failed = Counter("failed");
export const tried = Counter("tried");
export const size = Histogram("size");
export const mail = Queue<string>("mail");
export const oncall = Channel("oncall", { email: "oncall@example.com" });
`;

/** Lists the findings of a few lines, without their positions. */
async function said(source: string): Promise<string[]> {
  const lines = await bench.print(`-- shop/shop.ts --\n${declared}${source}\n`);
  return lines.map((line) => line.replace(/^shop\/shop\.ts:\d+:\d+: /, ""));
}

/** Lists the findings of an alert with one condition. */
async function saidOf(condition: string): Promise<string[]> {
  return said(`export const watch = Alert("watch", { if: ${condition}, every: "5m", notify: [oncall] });`);
}

describe("alert-condition", () => {
  test.each([
    ['rate(order, { status: "5xx" }).above(0)'],
    ["fw.rate(order).above(0)"],
    ["rate(order).below(0.001)"],
    ['ratio(order, "5xx").above(0.999)'],
    ['ratio(order, "5xx").below(1)'],
    ["ratio(failed, tried).above(1)"],
    ["percentile(order, 0.95).above(262_143.5)"],
    ["percentile(size, 1 / 2).below(1e6 / 10)"],
    ["absent(size)"],
    ["(absent(order)!)"],
  ])("holds and does not hold: %s", async (condition) => {
    expect(await saidOf(condition)).toEqual([]);
  });

  test.each([
    ["rate(order).above(-1)", "rate(…).above(-1) is always true"],
    ["rate(order).below(0)", "rate(…).below(0) is never true"],
    ['ratio(order, "5xx").above(1)', "ratio(…).above(1) is never true"],
    ['ratio(order, "5xx").below(1.001)', "ratio(…).below(1.001) is always true"],
    ["percentile(order, 0.95).above(262_144)", "percentile(…).above(262144) is never true"],
    ["percentile(order, 0.95).below(0)", "percentile(…).below(0) is never true"],
    ["rate(order).above(0 / 0)", "the threshold is not a number"],
    ['rate(order).above("5" as never)', "the threshold is not a number"],
    ["rate(order)", "rate(…) has no comparison"],
    ["(absent(order) as any).above(1)", "absent(…) is not a number, so .above(…) does not apply"],
    ["order as never", "this is not a condition"],
    ['"rate(order)" as never', "this is not a condition"],
  ])("refuses %s", async (condition, message) => {
    expect(await saidOf(condition)).toEqual([`${message} (fw/alert-condition)`]);
  });

  test("is told once where there is no config to read it of", async () => {
    expect(await said('export const watch = Alert("watch", {} as never);')).toEqual([
      'the alert "watch" has no condition (fw/alert-condition)',
    ]);
  });

  test("is written where it is, as every setting", async () => {
    expect(
      await said(
        'const failing = ratio(order, "5xx");\nexport const a = Alert("a", { if: failing.above(0.5), every: "5m", notify: [oncall] });\nconst quiet = absent(order);\nexport const b = Alert("b", { if: quiet, every: "5m", notify: [oncall] });',
      ),
    ).toEqual(["this is not a condition (fw/alert-condition)", "this is not a condition (fw/alert-condition)"]);
  });
});

describe("alert-subject", () => {
  test.each([
    ["percentile(failed as never, 0.5).above(1)", "a counter has no percentiles, because it is a single value"],
    ['ratio(size as never, "5xx").above(0.1)', "a histogram has no ratio"],
    ["rate(mail as never).above(1)", "this is declared by Queue, not an endpoint, a counter or a histogram"],
    ['ratio(failed, "5xx" as never).above(0.1)', "ratio(…) of a counter needs a second counter to divide by"],
    ["ratio(failed, size as never).above(0.1)", "ratio(…) of a counter needs a second counter to divide by"],
    ["(ratio as any)(failed).above(0.1)", "ratio(…) of a counter needs a second counter to divide by"],
  ])("refuses %s, once", async (condition, message) => {
    expect(await saidOf(condition)).toEqual([`${message} (fw/alert-subject)`]);
  });

  test("leaves a declaration in the place of a name to package-level", async () => {
    expect(await saidOf('rate(Counter("x")).above(1)')).toEqual([expect.stringMatching(/\(fw\/package-level\)$/)]);
  });
});

describe("channel-binding", () => {
  const alert = (notify: string): string =>
    `export const watch = Alert("watch", { if: absent(order), every: "5m", notify: ${notify} });`;

  test.each([
    [alert("[]  as never"), 'the alert "watch" notifies no channel'],
    [alert("oncall as never"), "notify is not a list of channels"],
    [alert("[mail as never]"), "this is declared by Queue, not a channel"],
    [alert("[...[oncall]] as never"), "this is not the name of a channel: a spread may contain any number of values"],
    ['export const x = Channel("x", {} as never);', 'the channel "x" has no address'],
    ['export const x = Channel("x", { email: "a@b" });', '"a@b" is not an address'],
    ['export const x = Channel("x", { email: "Ops <a@example.com>" });', '"Ops <a@example.com>" is not an address'],
    [
      'export const x = Channel("x", { email: "a@example.com, b@example.com" });',
      '"a@example.com, b@example.com" is not an address',
    ],
    ['export const x = Channel("x", { email: String(1) });', "the address is not a string constant"],
    [
      'export const hook = Secret("HOOK");\nexport const x = Channel("x", { email: "a@example.com", webhook: hook } as never);',
      'the channel "x" has both an address and a URL',
    ],
    [
      'export const x = Channel("x", { webhook: Secret("HOOK") });',
      "a secret is declared here, but only its name is allowed",
    ],
  ])("refuses %s", async (source, message) => {
    expect(await said(source)).toEqual([`${message} (fw/channel-binding)`]);
  });

  test("takes addresses and secrets", async () => {
    expect(
      await said(
        `const list = "ops+" + "alerts@mail.example.co.uk";\nexport const a = Channel("a", { email: list });\nexport const hook = Secret("HOOK");\nexport const b = Channel("b", { webhook: hook });\n${alert("[a, b, oncall]")}`,
      ),
    ).toEqual([]);
  });
});

describe("window", () => {
  const alert = (more: string): string =>
    `export const watch = Alert("watch", { if: absent(order), ${more}, notify: [oncall] });`;

  test.each([
    'every: "1m"',
    'every: "60s"',
    'every: "25h"',
    'every: "90000s"',
    'every: "5m", for: "24h"',
    'every: "5m", for: "0s"',
    'every: "1.5m", for: "1d"',
  ])("takes %s", async (more) => expect(await said(alert(more))).toEqual([]));

  test.each([
    ['every: "59s"', 'every "59s" is shorter than 1m'],
    ['every: "59999ms"', 'every "59999ms" is shorter than 1m'],
    ['every: "90001s"', 'every "90001s" is longer than 25h'],
    ['every: "5m", for: "86401s"', 'for "86401s" is longer than 24h'],
    ['every: "60500ms"', 'every "60500ms" is not a whole number of seconds'],
    ['every: "five minutes" as never', 'every "five minutes" is not a duration'],
    ["every: 5 as never", "every is not a duration"],
    ["every: undefined as never", 'the alert "watch" has no window'],
  ])("refuses %s", async (more, message) => {
    expect(await said(alert(more))).toEqual([`${message} (fw/window)`]);
  });
});

test("quantile: exactly the numbers between 0 and 1 are percentiles", async () => {
  const edges = [0, 1, Number.MIN_VALUE, 1 - Number.EPSILON / 2, -0.5, 1.0000001, 99];
  const numbers = [...edges, ...fc.sample(fc.double({ min: -2, max: 3, noNaN: true }), 20)];
  const alerts = numbers.map(
    (each, index) =>
      `export const a${index} = Alert("a${index}", { if: percentile(order, ${each}).above(800), every: "5m", notify: [oncall] });`,
  );
  const wrong = numbers.filter((each) => !(each > 0 && each < 1));
  expect(await said(alerts.join("\n"))).toEqual(
    wrong.map((each) => `the percentile ${each} is not between 0 and 1 (fw/quantile)`),
  );
});

test.each([
  ["percentile(order, order as never).above(1)", expect.stringMatching(/^the percentile is not a constant: /)],
  ["(percentile as any)(order).above(1)", "percentile(…) needs the percentile as its second argument (fw/quantile)"],
  ['percentile(order, "0.95" as never).above(1)', "the percentile is not a number (fw/quantile)"],
])("quantile: refuses %s", async (condition, message) => {
  expect(await saidOf(condition)).toEqual([message]);
});

describe("status-class", () => {
  test.each(["1xx", "2xx", "3xx", "4xx", "5xx"])("takes %s", async (status) => {
    expect(await saidOf(`ratio(order, "${status}").above(0.5)`)).toEqual([]);
  });

  test.each([
    ['ratio(order, "500" as never).above(0.5)', '"500" is not a status class'],
    ['ratio(order, "5XX" as never).above(0.5)', '"5XX" is not a status class'],
    ["ratio(order, 5 as never).above(0.5)", '"5" is not a status class'],
    ["(ratio as any)(order).above(0.5)", "ratio(…) needs a status class as its second argument"],
    ['rate(order, { status: "0xx" as never }).above(0.5)', '"0xx" is not a status class'],
    ['absent(order, { status: ["5xx"] as never })', "the status is not a status class"],
  ])("refuses %s", async (condition, message) => {
    expect(await saidOf(condition)).toEqual([`${message} (fw/status-class)`]);
  });
});

test.each([
  ['rate(failed as never, { status: "5xx" }).above(1)', 'a counter has no label "status"'],
  ['absent(size as never, { region: "eu" } as never)', 'a histogram has no label "region"'],
  ['rate(order, { method: "POST" } as never).above(1)', 'the requests of an endpoint have no label "method"'],
  [
    'rate(order, { status: "5xx", route: "GET /" } as never).above(1)',
    'the requests of an endpoint have no label "route"',
  ],
])("scoped-label: refuses %s", async (condition, message) => {
  expect(await saidOf(condition)).toEqual([`${message} (fw/scoped-label)`]);
});

test("the labels of a condition are written where it is", async () => {
  expect(
    await said(
      'const only = { status: "5xx" } as const;\nexport const watch = Alert("watch", { if: rate(order, only).above(1), every: "5m", notify: [oncall] });',
    ),
  ).toEqual(["the config is not a literal (fw/config-literal)"]);
});
