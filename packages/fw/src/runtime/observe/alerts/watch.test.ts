import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AlertCondition, AlertRule, Series } from "../../../lib/alert-rule.ts";
import { Counter, Histogram } from "../../../declare/metric.ts";
import { percentileOf, bucketBounds } from "../metrics/buckets.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";
import { MetricStore } from "../metrics/store.ts";
import { AlertWatch, changeRecord, type AlertChange, alertTickMs } from "./watch.ts";

const minute = 60_000;
const failed: Series = { metric: "failed", kind: "counter", labels: {} };
const attempts: Series = { metric: "tried", kind: "counter", labels: {} };
const size: Series = { metric: "size", kind: "histogram", labels: {} };

function rule(condition: AlertCondition, more: Partial<AlertRule> = {}): AlertRule {
  return { name: "watched", condition, every: 5 * minute, for: 0, notify: ["oncall"], ...more };
}

/** A store with a manual clock, and a watcher of its alert. */
class WatchFixture {
  now = 1_000_000_000_000;
  readonly store = new MetricStore({ now: () => this.now });
  readonly watch: AlertWatch;
  readonly changes: AlertChange[] = [];

  constructor(...rules: readonly AlertRule[]) {
    this.store.define({
      endpoints: [],
      metrics: [
        { kind: "counter", name: "failed", declaration: Counter("failed") },
        { kind: "counter", name: "tried", declaration: Counter("tried") },
        { kind: "histogram", name: "size", declaration: Histogram("size") },
      ],
    });
    this.watch = new AlertWatch(() => this.store.snapshot(), this.now);
    this.watch.use(rules, this.now);
  }

  /** Advances the clock. Returns whether the alert is firing afterwards. */
  pass(ms: number): boolean {
    this.now += ms;
    this.changes.push(...this.watch.catchUp(this.now));
    return this.watch.firing().length > 0;
  }
}

describe("an alert without for", () => {
  test("fires at the first look at what passes the threshold, and ends when the window holds no more of it", () => {
    const fixture = new WatchFixture(rule({ kind: "rate", of: failed, comparison: "above", threshold: 0.01 }));
    fixture.pass(10_000);
    fixture.store.add("failed", 4);
    expect(fixture.pass(19_999)).toBe(false);
    expect(fixture.pass(1)).toBe(true);
    expect(fixture.pass(5 * minute - alertTickMs)).toBe(true);
    expect(fixture.pass(alertTickMs - 1)).toBe(true);
    expect(fixture.pass(1)).toBe(false);
    expect(fixture.changes.map(({ firing }) => firing)).toEqual([true, false]);
  });

  test("does not fire at the threshold itself", () => {
    const watched = new WatchFixture(rule({ kind: "rate", of: failed, comparison: "above", threshold: 3 / 300 }));
    watched.store.add("failed", 3);
    expect(watched.pass(minute)).toBe(false);
    watched.store.add("failed", 0.001);
    expect(watched.pass(minute)).toBe(true);
  });
});

test("an alert with for fires when its condition has held so long, and not one second before", () => {
  const fixture = new WatchFixture(
    rule({ kind: "ratio", of: failed, to: attempts, comparison: "above", threshold: 0.5 }, { for: 10 * minute }),
  );
  const failing = (): void => {
    fixture.store.add("failed", 1);
    fixture.store.add("tried", 1);
  };
  failing();
  fixture.pass(alertTickMs);
  for (let minutes = 0; minutes < 9; minutes += 3) {
    failing();
    expect(fixture.pass(3 * minute)).toBe(false);
  }
  expect(fixture.pass(minute - 1000)).toBe(false);
  expect(fixture.pass(1000)).toBe(true);
});

test("a condition that breaks off begins anew", () => {
  const fixture = new WatchFixture(
    rule({ kind: "rate", of: failed, comparison: "above", threshold: 0 }, { every: minute, for: 2 * minute }),
  );
  fixture.store.add("failed", 1);
  fixture.pass(90_000);
  fixture.store.add("failed", 1);
  expect(fixture.pass(2 * minute)).toBe(false);
  for (let minutes = 0; minutes < 2; minutes++) {
    fixture.store.add("failed", 1);
    fixture.pass(minute);
  }
  expect(fixture.watch.firing()).toEqual([]);
  fixture.store.add("failed", 1);
  expect(fixture.pass(minute)).toBe(true);
});

describe("absent", () => {
  test("fires when a whole window has passed without anything, not one second before", () => {
    const fixture = new WatchFixture(rule({ kind: "absent", of: attempts }, { every: 30 * minute }));
    expect(fixture.pass(30 * minute - 1000)).toBe(false);
    expect(fixture.pass(1000)).toBe(true);
    fixture.store.add("tried", 1);
    expect(fixture.pass(alertTickMs)).toBe(false);
    expect(fixture.pass(30 * minute - 1000)).toBe(false);
    expect(fixture.pass(1000)).toBe(true);
  });

  test("is told of values of 0, too, which observe something", () => {
    const watched = new WatchFixture(rule({ kind: "absent", of: size }, { every: minute }));
    watched.store.observe("size", 0);
    expect(watched.pass(minute)).toBe(false);
    expect(watched.pass(minute)).toBe(true);
  });
});

describe("of nothing", () => {
  test.each(["above", "below"] as const)("there is no share that is %s another", (comparison) => {
    const watched = new WatchFixture(rule({ kind: "ratio", of: failed, to: attempts, comparison, threshold: 0.5 }));
    expect(watched.pass(60 * minute)).toBe(false);
  });

  test.each(["above", "below"] as const)("there is no percentile that is %s another", (comparison) => {
    const watched = new WatchFixture(rule({ kind: "percentile", of: size, quantile: 0.5, comparison, threshold: 10 }));
    expect(watched.pass(60 * minute)).toBe(false);
  });

  test("the share is 0 where there is a whole and no part of it", () => {
    const watched = new WatchFixture(
      rule({ kind: "ratio", of: failed, to: attempts, comparison: "below", threshold: 0.5 }),
    );
    watched.store.add("tried", 1);
    expect(watched.pass(minute)).toBe(true);
  });

  test("the rate is below any other only once a whole window has been watched", () => {
    const watched = new WatchFixture(rule({ kind: "rate", of: attempts, comparison: "below", threshold: 1 }));
    expect(watched.pass(5 * minute - 1000)).toBe(false);
    expect(watched.pass(1000)).toBe(true);
  });

  test("a part without a whole is more than any share", () => {
    const watched = new WatchFixture(
      rule({ kind: "ratio", of: failed, to: attempts, comparison: "above", threshold: 1e9 }),
    );
    watched.store.add("failed", 1);
    expect(watched.pass(minute)).toBe(true);
  });
});

test("a percentile is read off the buckets of the window alone", () => {
  const fixture = new WatchFixture(
    rule({ kind: "percentile", of: size, quantile: 0.5, comparison: "above", threshold: 100 }, { every: minute }),
  );
  for (let sample = 0; sample < 100; sample++) fixture.store.observe("size", 5);
  expect(fixture.pass(2 * minute)).toBe(false);
  fixture.store.observe("size", 1000);
  expect(fixture.pass(minute)).toBe(true);
});

test("alerts that a save brings watch from then on, and those that stay know what they knew", () => {
  const stays = rule({ kind: "absent", of: attempts }, { name: "stays", every: 10 * minute });
  const comes = rule({ kind: "absent", of: failed }, { name: "comes", every: 10 * minute });
  const fixture = new WatchFixture(stays);
  fixture.pass(9 * minute);
  fixture.watch.use([stays, comes], fixture.now);
  fixture.pass(minute);
  expect(fixture.watch.firing()).toEqual(["stays"]);
  fixture.pass(9 * minute);
  expect(fixture.watch.firing()).toEqual(["comes", "stays"]);
  fixture.watch.use([comes], fixture.now);
  expect(fixture.watch.firing()).toEqual(["comes"]);
});

test("an instance that starts again loses nothing of what was counted", () => {
  const counts = [3, 7, 2, 2, 9];
  let index = 0;
  const snapshot = (): MetricSnapshot => ({
    at: index * alertTickMs,
    since: 0,
    series: [{ kind: "counter", name: "failed", labels: {}, value: counts[index] ?? 0 }],
  });
  const watch = new AlertWatch(snapshot, 0);
  const window = 10 * minute;
  const many = { kind: "rate", of: failed, comparison: "above", threshold: 12.9 / (window / 1000) } as const;
  watch.use([rule(many, { every: window })], 0);
  for (index = 1; index < counts.length; index++) watch.catchUp(index * alertTickMs);
  expect(watch.firing()).toEqual(["watched"]);
});

test("series are those of the labels that an alert asks for, and add up over the others", () => {
  const series = (status: string, value: number): MetricSnapshot["series"][number] => {
    return { kind: "counter", name: "requests", labels: { route: "GET /", status }, value };
  };
  let [good, bad] = [0, 0];
  const watch = new AlertWatch(() => ({ at: 0, since: 0, series: [series("2xx", good), series("5xx", bad)] }), 0);
  const all: Series = { metric: "requests", kind: "counter", labels: { route: "GET /" } };
  const errors: Series = { ...all, labels: { ...all.labels, status: "5xx" } };
  watch.use([rule({ kind: "ratio", of: errors, to: all, comparison: "above", threshold: 0.49 })], 0);
  [good, bad] = [1, 1];
  watch.catchUp(alertTickMs);
  expect(watch.firing()).toEqual(["watched"]);
});

test("requests of a service are its own where another service has a route of that name", () => {
  const servicesRead: (string | undefined)[] = [];
  const value = (service: string | undefined): number => (
    servicesRead.push(service),
    service === "web" && servicesRead.length > 2 ? 1 : 0
  );
  const watch = new AlertWatch(
    (service) => ({
      at: 0,
      since: 0,
      series: [{ kind: "counter", name: "requests", labels: {}, value: value(service) }],
    }),
    0,
  );
  const rules = ["web", "back"].map((service) => {
    const of: Series = { metric: "requests", kind: "counter", service, labels: {} };
    return rule({ kind: "rate", of, comparison: "above", threshold: 0 }, { name: service });
  });
  watch.use(rules, 0);
  watch.catchUp(alertTickMs);
  expect(watch.firing()).toEqual(["web"]);
});

test("a change is one record: of what holds and who is told, then that it is over", () => {
  const change = {
    rule: rule({ kind: "ratio", of: failed, to: attempts, comparison: "above", threshold: 0.5 }),
    at: 0,
  };
  expect(
    [true, false].map((firing) => changeRecord({ ...change, firing })).map(({ level, message }) => [level, message]),
  ).toEqual([
    ["warn", "alert watched is firing: ratio of failed to tried above 0.5; when deployed, it notifies oncall"],
    ["info", "alert watched is no longer firing"],
  ]);
});

/** An event that is counted `after` milliseconds from the start. */
interface Happening {
  readonly after: number;
  readonly name: "failed" | "tried" | "size";
  readonly value: number;
}

const span = 40 * minute;

const happening: fc.Arbitrary<Happening> = fc.record({
  after: fc.integer({ min: 0, max: span - 1 }),
  name: fc.constantFrom("failed", "tried", "size"),
  value: fc.constantFrom(0.5, 1, 2, 3, 700),
});

const threshold = {
  comparison: fc.constantFrom("above" as const, "below" as const),
  threshold: fc.constantFrom(0, 0.001, 0.01, 0.5, 1, 100),
};

const condition: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({ kind: fc.constant("rate" as const), of: fc.constantFrom(failed, size), ...threshold }),
  fc.record({ kind: fc.constant("ratio" as const), of: fc.constant(failed), to: fc.constant(attempts), ...threshold }),
  fc.record({
    kind: fc.constant("percentile" as const),
    of: fc.constant(size),
    quantile: fc.constantFrom(0.1, 0.5, 0.95),
    ...threshold,
  }),
  fc.record({ kind: fc.constant("absent" as const), of: fc.constantFrom(failed, size) }),
);

const rules: fc.Arbitrary<AlertRule> = fc.record({
  name: fc.constant("watched"),
  condition,
  every: fc.constantFrom(minute, 2 * minute, 5 * minute, 60 * minute),
  for: fc.constantFrom(0, 1000, minute, 3 * minute),
  notify: fc.constant([]),
});

/** Computes from all events whether a condition holds at an instant. */
function naive({ condition, every }: AlertRule, all: readonly Happening[], at: number): boolean {
  const inside = (series: Series): readonly Happening[] =>
    all.filter(({ name, after }) => name === series.metric && after < at && after >= at - every);
  const count = (series: Series): number =>
    inside(series).reduce((sum, { value }) => sum + (series.kind === "counter" ? value : 1), 0);
  const covered = at >= every;
  if (condition.kind === "absent") return covered && inside(condition.of).length === 0;
  const { kind, comparison, threshold: limit } = condition;
  if (kind === "rate" && comparison === "below" && !covered) return false;
  const values: Readonly<Record<typeof kind, () => number>> = {
    rate: () => count(condition.of) / (every / 1000),
    ratio: () => count(condition.of) / count("to" in condition ? condition.to : condition.of),
    percentile: () => {
      const buckets = Array.from({ length: bucketBounds.length + 1 }, () => 0);
      for (const { value } of inside(condition.of)) {
        const bucket = bucketBounds.findIndex((bound) => value < bound);
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      }
      return percentileOf(buckets, "quantile" in condition ? condition.quantile : 0) ?? Number.NaN;
    },
  };
  const value = values[kind]();
  return comparison === "above" ? value > limit : value < limit;
}

test("whatever happens, an alert fires when a look at everything that happened says so", () => {
  fc.assert(
    fc.property(rules, fc.array(happening, { maxLength: 40 }), (watchedRule, happenings) => {
      const fixture = new WatchFixture(watchedRule);
      const start = fixture.now;
      const all = happenings.toSorted((a, b) => a.after - b.after);
      let [next, since] = [0, undefined as number | undefined];
      for (let at = alertTickMs; at <= span; at += alertTickMs) {
        for (; next < all.length && (all[next]?.after ?? 0) < at; next++) {
          const { after, name, value } = all[next]!;
          fixture.pass(start + after - fixture.now);
          if (name === "size") fixture.store.observe(name, value);
          else fixture.store.add(name, value);
        }
        const fires = fixture.pass(start + at - fixture.now);
        since = naive(watchedRule, all, at) ? (since ?? at) : undefined;
        expect([at, fires]).toEqual([at, since !== undefined && at - since >= watchedRule.for]);
      }
    }),
    { numRuns: 15 * Number(process.env["FW_TRIES"] ?? 1) },
  );
});
