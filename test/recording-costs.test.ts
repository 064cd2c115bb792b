import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

/** The bytes that each function of fw allocates, and the number of its calls, for a batch of requests. */
interface Costs {
  readonly bytes: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
}

/** The costs of a GET and a POST, by method and path. */
type Requests = Readonly<Record<string, Costs>>;

const support = (name: string): string => fileURLToPath(new URL(`support/recording/${name}.mjs`, import.meta.url));

/** Interprets all code and counts every allocation, so that equal requests cost the same to a byte. */
const flags = [
  "--single-threaded",
  "--no-opt",
  "--no-maglev",
  "--no-sparkplug",
  "--min-semi-space-size=16",
  "--sampling-heap-profiler-suppress-randomness",
];

async function costsOf(recording: "off" | "sampling", ...more: readonly string[]): Promise<Requests> {
  const args = [...flags, ...more, support("request-costs"), recording];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 10_000_000 });
  return JSON.parse(stdout) as Requests;
}

let off: Requests;
let stripped: Requests;
let sampling: Requests;

beforeAll(async () => {
  [off, stripped, sampling] = await Promise.all([
    costsOf("off"),
    costsOf("off", "--import", support("without-recording")),
    costsOf("sampling"),
  ]);
});

/** The number of requests in a batch. */
const batch = 512;

/**
 * The bytes that fw itself allocates for a request, without those of Node's HTTP server and V8's compilers. Raise a
 * budget only for what each request needs: a recording keeps its state outside of the request.
 */
const budgets = { "GET /hello": 1945, "POST /orders": 2545 };

test("without a recording, a request runs nothing for it, and allocates nothing for it", () => {
  expect(off["GET /hello"]?.calls).toMatchObject({ "runtime/respond.js begin": batch });
  expect(off).toEqual(stripped);
  const bytes = Object.entries(off).map(([name, costs]) => [name, sumOf(costs.bytes) / batch] as const);
  const problems = bytes.filter(([name, each]) => !isWithin(each, budgets[name as keyof typeof budgets]));
  expect(problems, "a request has another number of bytes than its budget").toEqual([]);
});

test("while traces are sampled, a request that is not sampled allocates nothing more", () => {
  for (const name of Object.keys(budgets)) {
    expect(sampling[name]?.calls).toMatchObject({ "console/sampling/trace-sampler.js requestEnded": batch });
    expect(sampling[name]?.bytes).toEqual(off[name]?.bytes);
  }
});

function sumOf(bytes: Costs["bytes"]): number {
  return Object.values(bytes).reduce((sum, each) => sum + each, 0);
}

/** True for a number that does not exceed the budget and is at most 3 % below it. */
function isWithin(bytes: number, budget: number): boolean {
  return bytes <= budget && bytes >= budget * 0.97;
}
