import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { App } from "../model/app.ts";
import type { Clock } from "../platform/contract.ts";
import { openLocal } from "../platform/local/open.ts";
import { PlatformError } from "../platform/errors.ts";
import { withMethods } from "../platform/with-methods.ts";
import { SteppedClock } from "../platform/stepped-clock.ts";
import { tickKind } from "../platform/tick-kind.ts";
import { Crons } from "./crons.ts";
import { ServiceDown, type ServiceAnswer } from "./deliveries.ts";

const sweep = { kind: "cron", name: "sweep", schedule: "*/5 * * * *", timezone: "UTC" };
const app = { name: "a", packages: [{ service: "broom", declarations: [sweep] }], types: {} } as unknown as App;

/** Follows the cron on a clock that the test moves. The service responds with `answers` in turn, then with 204. */
async function following(answers: readonly (number | Error)[]) {
  const directory = mkdtempSync(join(tmpdir(), "fw-crons-"));
  const clock = new SteppedClock();
  const kinds = [{ kind: tickKind, framework: true as const, properties: [], composites: [] }];
  const platform = await openLocal(directory, { kinds }, { temporary: true, clock });
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await platform.close();
    rmSync(directory, { recursive: true });
  });
  const [calls, lines, remaining]: [number[], string[], (number | Error)[]] = [[], [], [...answers]];
  const post = async (service: string, path: string): Promise<ServiceAnswer> => {
    expect([service, path]).toEqual(["broom", "api/cron/sweep"]);
    calls.push(clock.now());
    const answer = remaining.shift() ?? 204;
    if (answer instanceof Error) throw answer;
    return { status: answer, text: "" };
  };
  const write = (line: string): number => lines.push(line);
  const start = (runs?: (service: string) => boolean, skewed: Clock = clock) =>
    new Crons(app, { post }).follow({
      platform: { entities: platform.entities, leases: platform.leases, clock: skewed },
      ...(runs && { runs }),
      write,
      stopping: stopping.signal,
    });
  return { platform, clock, calls, lines, post, write, start, stopping, tick: clock.now() + 300_000 };
}

test("a machine triggers only crons of services that it runs", async () => {
  const { clock, calls, lines, start, tick } = await following([]);
  start((service) => service !== "broom");
  await clock.advance(310_000);
  expect([calls, lines]).toEqual([[], []]);
  start((service) => service === "broom");
  await clock.advance(300_000);
  expect(calls).toEqual([tick + 300_000]);
});

test("a tick whose service cannot be reached runs as soon as it can, and the log names the cron", async () => {
  const connectError = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const { clock, calls, lines, start, tick } = await following([connectError, new ServiceDown("broom is down"), 503]);
  start();
  await clock.advance(310_000);
  expect(calls).toEqual([0, 1_000, 2_000, 3_000].map((ms) => tick + ms));
  expect(lines).toEqual([expect.stringMatching(/WARN .*cannot be reached.*ECONNREFUSED.*cron=sweep/s)]);
});

test("a run that may have begun is not repeated, and its failure is logged with the cron's name", async () => {
  const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  const { clock, calls, lines, start, tick } = await following([reset, 404, 500]);
  start();
  await clock.advance(960_000);
  // The service itself logged that its handler failed.
  expect(calls).toEqual([tick, tick + 300_000, tick + 600_000]);
  expect(lines).toEqual([
    expect.stringMatching(/ERROR .*did not run.*socket hang up.*cron=sweep/s),
    expect.stringMatching(/ERROR .*did not run.*404.*cron=sweep/s),
  ]);
});

/** Follows the cron on a platform where the next calls of an operation fail, before or after they take effect. */
async function failing(operation: "insert" | "acquire", calls: number, isApplied: boolean) {
  const broom = await following([]);
  const { platform, clock, write, stopping } = broom;
  let failures = 0;
  const failingFirst =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (failures === calls) return call(...args);
      failures += 1;
      if (isApplied) await call(...args);
      throw new PlatformError("unreachable", "the database does not respond");
    };
  const { entities, leases } = platform;
  new Crons(app, { post: broom.post }).follow({
    platform: {
      clock,
      entities:
        operation === "insert"
          ? withMethods(entities, { insert: failingFirst(entities.insert.bind(entities)) })
          : entities,
      leases:
        operation === "acquire" ? withMethods(leases, { acquire: failingFirst(leases.acquire.bind(leases)) }) : leases,
    },
    write,
    stopping: stopping.signal,
  });
  return broom;
}

test.each(["insert", "acquire"] as const)(
  "a tick runs as soon as the platform, which refuses to %s, responds again",
  async (operation) => {
    const { clock, calls, lines, tick } = await failing(operation, 2, false);
    await clock.advance(310_000);
    expect(calls).toEqual([tick + 2_000]);
    expect(lines).toEqual([expect.stringMatching(/WARN .*trying again.*does not respond.*cron=sweep/s)]);
  },
);

test.each(["insert", "acquire"] as const)(
  "a tick runs once if the platform did %s, but its answer was lost",
  async (operation) => {
    const { clock, calls, tick } = await failing(operation, 1, true);
    await clock.advance(360_000);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toBeLessThanOrEqual(tick + 20_000);
  },
);

test.each(["insert", "acquire"] as const)(
  "a tick is lost with an error in the log if the platform refuses to %s for a minute, and the next one runs",
  async (operation) => {
    const { clock, calls, lines, tick } = await failing(operation, 61, false);
    await clock.advance(720_000);
    expect(calls).toEqual([tick + 300_000]);
    expect(lines).toEqual([expect.stringContaining("WARN"), expect.stringMatching(/ERROR .*skipped.*cron=sweep/s)]);
  },
);

test("a service that stays down for a minute loses its tick with an error in the log", async () => {
  const down = Array.from({ length: 60 }, () => new ServiceDown("broom is down"));
  const { clock, calls, lines, start, tick } = await following(down);
  start();
  await clock.advance(720_000);
  expect([calls.length, calls.at(-2), calls.at(-1)]).toEqual([61, tick + 59_000, tick + 300_000]);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/ERROR .*did not run.*cron=sweep/s);
});

test("a reload at the moment of a tick, before its timer has fired, neither loses nor repeats it", async () => {
  for (const late of [-1, 0, 1, 500]) {
    const { clock, calls, lines, start, tick } = await following([]);
    const before = start();
    await clock.advance(299_000);
    // Moves the clock without waking a timer.
    clock.jump(1_000 + late);
    before.end();
    start();
    await clock.advance(60_000);
    expect(calls, String(late)).toHaveLength(1);
    expect(calls[0], String(late)).toBeGreaterThanOrEqual(tick);
    expect(lines).toEqual([]);
  }
});

test("a machine whose clock is late starts before a tick that another machine has run, and does not repeat it", async () => {
  const late = 20_000;
  const { clock, calls, lines, start, tick } = await following([]);
  start();
  await clock.advance(300_000);
  expect(calls).toEqual([tick]);
  const lateClock: Clock = {
    now: () => clock.now() - late,
    elapsed: () => clock.elapsed(),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
  };
  start(undefined, lateClock);
  await clock.advance(60_000);
  expect([calls, lines]).toEqual([[tick], []]);
});

test("a machine that stops at the moment of a tick leaves it to another one", async () => {
  const { clock, calls, start, stopping, tick } = await following([]);
  const before = start();
  await clock.advance(299_000);
  clock.jump(1_000);
  stopping.abort();
  before.end();
  await clock.advance(1_000);
  expect(calls).toEqual([]);
  expect(clock.now()).toBeGreaterThan(tick);
});
