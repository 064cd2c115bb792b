import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import { MetricStore } from "../runtime/observe/metrics/store.ts";
import { MetricLedger } from "./metrics.ts";

/** A process of a service that counts requests. */
class Counting {
  static #last = 0;
  readonly instance = String(Counting.#last++);
  readonly store: MetricStore;

  constructor(now: () => number) {
    this.store = new MetricStore({ now });
  }

  report(last = false): { readonly instance: string; readonly snapshot: MetricSnapshot; readonly last: boolean } {
    return { instance: this.instance, snapshot: this.store.snapshot(), last };
  }
}

function totalOf({ series }: MetricSnapshot): number {
  return series.reduce((sum, each) => sum + (each.kind === "counter" ? each.value : 0), 0);
}

test("what processes counted adds up over all that a service has had, and never falls", () => {
  const step = fc.record({
    service: fc.constantFrom("shop", "back"),
    does: fc.constantFrom("request", "request", "request", "report", "ends", "another", "is killed"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let now = 1;
      const ledger = new MetricLedger(now);
      const running = new Map<string, Counting>();
      let [counted, lost, before] = [0, 0, 0];
      const unsaid = new Map<Counting, number>();
      for (const { service, does } of steps) {
        now++;
        const process = running.get(service) ?? new Counting(() => now);
        running.set(service, process);
        if (does === "request") {
          process.store.request("GET /", 200, 1);
          counted++;
          unsaid.set(process, (unsaid.get(process) ?? 0) + 1);
        } else if (does === "is killed") lost += unsaid.get(process) ?? 0;
        else {
          ledger.report(service, process.report(does === "ends"));
          unsaid.delete(process);
        }
        if (does === "ends" || does === "is killed") running.delete(service);
        // The previous process runs until its requests have ended.
        if (does === "another") running.set(service, new Counting(() => now));
        const total = totalOf(ledger.snapshot());
        expect(total).toBeGreaterThanOrEqual(before);
        before = total;
      }
      for (const [service, process] of running) {
        now++;
        ledger.report(service, process.report());
        unsaid.delete(process);
      }
      expect(totalOf(ledger.snapshot())).toBe(counted - lost);
      const apart = ["shop", "back"].map((service) => totalOf(ledger.snapshot(service)));
      expect(apart.reduce((sum, each) => sum + each)).toBe(counted - lost);
    }),
  );
});

test("an answer that another has overtaken, and one after the last, change nothing", () => {
  let now = 1;
  const ledger = new MetricLedger(now);
  const process = new Counting(() => now);
  const early = process.report();
  process.store.request("GET /", 200, 1);
  now = 2;
  const late = process.report();
  ledger.report("shop", late);
  ledger.report("shop", early);
  expect(totalOf(ledger.snapshot())).toBe(1);
  ledger.report("shop", process.report(true));
  ledger.report("shop", late);
  expect(totalOf(ledger.snapshot())).toBe(1);
});
