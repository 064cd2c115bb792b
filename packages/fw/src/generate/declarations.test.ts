import { describe, expect, test } from "vitest";
import { isStatusError } from "../declare/errors.ts";
import type { App } from "../model/app.ts";
import { parseJSON } from "../runtime/body/json.ts";
import type { Bundle, BundledDestination } from "../runtime/bundle.ts";
import { destinationsSpecifier } from "./declarations.ts";
import { exposedName } from "./expose.ts";
import { shop } from "./testing/apps.ts";
import { evaluate } from "./testing/evaluate.ts";
import { mail } from "./testing/mail.ts";
import { type Generated, generator } from "./wiring.ts";

/** Evaluates generated modules, with a stand-in for every declaration of the application, and returns the bundle. */
function run(generated: Generated): Bundle {
  const modules: Record<string, object> = {};
  for (const [path, variables] of generated.exposed) {
    modules[`./${path}`] = Object.fromEntries(
      variables.map((name) => [exposedName(name), { declared: `${path} ${name}` }]),
    );
  }
  const load = (specifier: string): object =>
    modules[specifier] ?? evaluate(generated.files.get(specifier) ?? "", load);
  return (load(generated.entry) as { default: Bundle }).default;
}

const bundle = run(generator()(mail));

function destination(name: string): BundledDestination {
  const found = bundle.destinations?.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no destination ${name}`);
  return found;
}

/** Returns a sent message as its consumer receives it. */
function delivered(name: string, message: unknown): unknown {
  const { encode = JSON.stringify, decode, exactIntegers } = destination(name);
  return decode(parseJSON(Buffer.from(encode(message)), exactIntegers));
}

describe("the bundle of background work", () => {
  test("names every declaration with what the runtime has to know of it", () => {
    const { buckets, destinations, consumers, crons, singletons } = bundle;
    expect(buckets).toEqual([
      { declaration: { declared: "mail/queues.ts scans" }, name: "scans" },
      { declaration: { declared: "mail/queues.ts stamps" }, name: "stamps" },
    ]);
    expect(destinations?.map(({ kind, name, tasks, exactIntegers }) => [kind, name, tasks, exactIntegers])).toEqual([
      ["queue", "letters", 1, true],
      ["job", "sort", 8, false],
      ["job", "weigh", 1, false],
      ["topic", "letter-sent", 1, false],
    ]);
    expect(
      consumers?.map(({ kind, variable, package: part, service, source }) => [kind, variable, part, service, source]),
    ).toEqual([
      ["runner", "sorting", 0, "jobs-sorting", { kind: "job", name: "sort" }],
      ["subscribe", "scan", 0, "jobs-scan", { kind: "event", name: "bucket.uploaded:scans" }],
      ["worker", "post", 1, "mail-post", { kind: "queue", name: "letters" }],
    ]);
    expect(consumers?.[2]).toMatchObject({
      declaration: { declared: "mail/queues.ts post" },
      delivery: { maxAttempts: 10, minBackoff: 10_000, maxBackoff: 600_000, rateLimit: 2.5, deadline: 600_000 },
    });
    expect(crons).toEqual([
      {
        declaration: { declared: "jobs/jobs.ts nightly" },
        name: "nightly",
        package: 0,
        schedule: "0 3 * * *",
        timezone: "Europe/Zurich",
        deadline: 180_000,
      },
    ]);
    expect(singletons).toEqual([
      { declaration: { declared: "jobs/jobs.ts relay" }, name: "relay", service: "jobs-relay" },
    ]);
  });

  test("has none of it in an application without", () => {
    const names = Object.keys(run(generator()(shop)));
    expect(names.filter((name) => /buckets|destinations|consumers|crons|singletons/.test(name))).toEqual([]);
  });
});

describe("messages", () => {
  test("come out as they went in: dates, 64-bit integers, parts of their own type", () => {
    const letter = { to: "ada", sent: new Date("2026-01-02T03:04:05Z"), size: 9_007_199_254_740_993n };
    const letters = { ...letter, next: { ...letter, to: "bob" } };
    expect(delivered("letters", letters)).toEqual(letters);
    expect(delivered("weigh", { since: letter.sent })).toEqual({ since: letter.sent });
    expect(delivered("letter-sent", null)).toBeNull();
    expect(delivered("letter-sent", "")).toBe("");
  });

  test("no arguments of a job are null on the way", () => {
    expect(destination("sort").encode?.(undefined)).toBe("null");
    expect(delivered("sort", undefined)).toBeUndefined();
  });

  test.each([
    ["letters", { to: 1 }, "body to: 1 is not a string"],
    ["weigh", {}, "body since: is required"],
    ["weigh", null, "body: null is not an object"],
    ["letter-sent", 5, "body: 5 is not a string | null"],
  ])("of %s like %j are refused: %s", (name, message, text) => {
    const read = (): unknown => {
      try {
        return destination(name).decode(message);
      } catch (error) {
        if (isStatusError(error)) return error.message;
        throw error;
      }
    };
    expect(read()).toBe(text);
  });
});

describe("after a change", () => {
  const changed = (size: "int" | "int64"): App => ({
    ...mail,
    types: {
      "mail/queues.ts#Letter": { kind: "object", fields: [{ name: "size", schema: { kind: size }, optional: false }] },
    },
  });

  test("modules whose messages and types are the same objects keep their text", () => {
    const generate = generator();
    const before = generate(changed("int64")).files;
    const after = generate(changed("int")).files;
    const queues = destinationsSpecifier("mail/queues.ts");
    expect(before.get(queues)).toContain("bodyInt64");
    expect(after.get(queues)).not.toContain("bodyInt64");
    const others = [...after.keys()].filter((specifier) => specifier !== queues);
    expect(others.filter((specifier) => before.get(specifier) !== after.get(specifier))).toEqual([]);
  });
});
