import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { graph } from "../../generate/graph/graph.ts";
import { openAppBench, type AppBench } from "../testing/app-bench.ts";

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench();
});
afterAll(() => bench.close());

const declared = `
import { API, Cron, Job, Page, Queue, Runner, Service, Singleton, Subscribe, Topic, Worker } from "fw";
export const mail = Queue<string>("mail");
export const placed = Topic<string>("placed");
`;

function api(name: string, settings: string): string {
  return `export const ${name} = API("GET /${name}", () => ({ ok: true }), { ${settings} } as never);`;
}

/** Lists the findings of a few lines, without their positions. */
async function said(source: string): Promise<string[]> {
  const job = source.includes("rebuild") ? 'export const rebuild = Job("rebuild");\n' : "";
  const lines = await bench.print(`-- shop/shop.ts --\n${declared}${job}${source}\n`);
  return lines.map((line) => line.replace(/^shop\/shop\.ts:\d+:\d+: /, ""));
}

describe("footprint", () => {
  test.each([
    "cpu: 0.08",
    "cpu: 0.29",
    "cpu: 0.99",
    "cpu: 1",
    "cpu: 8",
    'memory: "128Mi"',
    'memory: "32Gi"',
    'memory: "1.5Gi"',
    'cpu: 0.49, memory: "512Mi"',
    'cpu: 0.5, memory: "1Gi"',
    'cpu: 1, memory: "4Gi"',
    'cpu: 2, memory: "8Gi"',
    'cpu: 4, memory: "2Gi"',
    'cpu: 6, memory: "24Gi"',
    'cpu: 8, memory: "4Gi"',
    "",
  ])("can be had: %s", async (footprint) => {
    expect(await said(`export const web = Service({ footprint: { ${footprint} } });`)).toEqual([]);
  });

  test.each([
    ["cpu: 0.07", "there are no instances with 0.07 cpu"],
    ["cpu: 0.255", "there are no instances with 0.255 cpu"],
    ["cpu: 1.5", "there are no instances with 1.5 cpu"],
    ["cpu: 5", "there are no instances with 5 cpu"],
    ['cpu: "1"', "cpu is not a number"],
    ['memory: "127Mi"', "there are no instances with 127Mi of memory"],
    ['memory: "33Gi"', "there are no instances with 33Gi of memory"],
    ['memory: "1GB"', 'the memory "1GB" is not an amount'],
    ["memory: 512", "memory is not an amount"],
    ['cpu: 0.49, memory: "513Mi"', "an instance with 0.49 cpu cannot have 513Mi of memory"],
    ['cpu: 0.5, memory: "1025Mi"', "an instance with 0.5 cpu cannot have 1025Mi of memory"],
    ['cpu: 1, memory: "4097Mi"', "an instance with 1 cpu cannot have 4097Mi of memory"],
    ['cpu: 2, memory: "9Gi"', "an instance with 2 cpu cannot have 9Gi of memory"],
    ['cpu: 4, memory: "2047Mi"', "an instance with 4 cpu cannot have 2047Mi of memory"],
    ['cpu: 6, memory: "25Gi"', "an instance with 6 cpu cannot have 25Gi of memory"],
  ])("refuses %s", async (footprint, message) => {
    expect(await said(`export const web = Service({ footprint: { ${footprint} } } as never);`)).toEqual([
      `${message} (fw/footprint)`,
    ]);
  });

  test("is judged as it is resolved, of the Service and the handler together, once", async () => {
    expect(
      await said(
        `export const web = Service({ footprint: { cpu: 1 } });\n${api("list", 'footprint: { memory: "8Gi" }')}\n${api("sum", 'footprint: { memory: "8Gi" }')}`,
      ),
    ).toEqual(["an instance with 1 cpu cannot have 8Gi of memory (fw/footprint)"]);
  });

  test.each([
    ['Mount("/api", () => new Response(), { footprint: { cpu: 1.5 } } as never)'],
    ['Socket("GET /room", () => {}, { footprint: { cpu: 1.5 } } as never)'],
  ])("of every handler is judged: %s", async (call) => {
    const declared = `import { Mount, Socket } from "fw";\nexport const it = ${call};`;
    expect(await bench.print(`-- shop/shop.ts --\n${declared}\n`)).toEqual([
      expect.stringContaining("there are no instances with 1.5 cpu (fw/footprint)"),
    ]);
  });

  test("of a Runner and a Singleton is that of a whole instance", async () => {
    const small = 'export const run = Runner(rebuild, () => {}, { footprint: { memory: "511Mi" } });';
    expect(await said(small)).toEqual(["an instance with 1 cpu cannot have 511Mi of memory (fw/footprint)"]);
    const lines = [
      "export const run = Runner(rebuild, () => {}, { footprint: { cpu: 0.5 } });",
      'export const relay = Singleton("relay", () => {}, { footprint: { cpu: 0.5 } });',
    ];
    expect(await said(lines.join("\n"))).toEqual([
      "a Runner needs at least 1 cpu (fw/footprint)",
      "a Singleton needs at least 1 cpu (fw/footprint)",
    ]);
  });
});

describe("traffic", () => {
  test.each([
    ['timeout: "1s"'],
    ['timeout: "60m"'],
    ["concurrency: 1"],
    ["concurrency: 1000"],
    ["minInstances: 0"],
    ["minInstances: 101"],
    ["maxInstances: 1"],
    ["minInstances: 5, maxInstances: 5"],
  ])("takes %s", async (traffic) => {
    expect(await said(`export const web = Service({ traffic: { ${traffic} } });`)).toEqual([]);
  });

  test.each([
    ["", "traffic is empty"],
    ['timeout: "999ms"', 'the timeout "999ms" is shorter than 1 second'],
    ['timeout: "3601s"', 'the timeout "3601s" is longer than 60m'],
    ['timeout: "1500ms"', 'the timeout "1500ms" is not a whole number of seconds'],
    ['timeout: "soon"', 'the timeout "soon" is not a duration'],
    ["concurrency: 0", "concurrency is 0"],
    ["concurrency: 1001", "concurrency is 1001"],
    ["concurrency: 1.5", "concurrency is 1.5"],
    ["minInstances: -1", "minInstances is -1"],
    ["maxInstances: 0", "maxInstances is 0"],
    ['maxInstances: "3"', "maxInstances is not a number"],
    ["minInstances: 6, maxInstances: 5", "minInstances 6 is more than maxInstances 5"],
  ])("refuses { %s }", async (traffic, message) => {
    expect(await said(`export const web = Service({ traffic: { ${traffic} } } as never);`)).toEqual([
      `${message} (fw/traffic)`,
    ]);
  });

  test.each([
    ['Runner(rebuild, () => {}, { traffic: { timeout: "5m" } } as never)', "a Runner has no timeout"],
    ['Singleton("relay", () => {}, { traffic: { concurrency: 3 } } as never)', "a Singleton has no concurrency"],
    ['Cron("digest", "every 1h", () => {}, { traffic: { timeout: "5m" } } as never)', "a Cron has no timeout"],
    ['Worker(mail, () => {}, { traffic: { timeout: "31m" } })', 'the timeout "31m" is longer than 30m'],
    ['Subscribe(placed, () => {}, { traffic: { timeout: "601s" } })', 'the timeout "601s" is longer than 10m'],
  ])("refuses what a kind has no use of: %s", async (call, message) => {
    expect(await said(`export const x = ${call};`)).toEqual([`${message} (fw/traffic)`]);
  });

  test("of the Service and of a handler are one", async () => {
    expect(
      await said(
        `export const web = Service({ traffic: { minInstances: 5 } });\n${api("list", "traffic: { maxInstances: 4 }")}`,
      ),
    ).toEqual(["minInstances 5 is more than maxInstances 4 (fw/traffic)"]);
  });
});

describe("mixed", () => {
  test.each([
    ["mixed-footprint", "footprint: { cpu: 2 }", "footprint: { cpu: 4 }", '"b" sets cpu 4, and "a" sets 2'],
    [
      "mixed-footprint",
      'footprint: { memory: "1Gi" }',
      'footprint: { memory: "1025Mi" }',
      '"b" sets memory 1025Mi, and "a" sets 1Gi',
    ],
    ["mixed-profile", 'profile: "latency"', 'profile: "default"', '"b" sets profile default, and "a" sets latency'],
    [
      "mixed-traffic",
      'traffic: { timeout: "60s" }',
      'traffic: { timeout: "61s" }',
      '"b" sets timeout 61s, and "a" sets 1m',
    ],
  ])("%s: two handlers pin %s and %s", async (id, one, other, message) => {
    expect(await said(`${api("a", one)}\n${api("b", other)}\n${api("c", one)}`)).toEqual([`${message} (fw/${id})`]);
  });

  test("is told where the Service says another value for a handler that pins none", async () => {
    const service = 'export const web = Service({ profile: "batch" });';
    expect(await said(`${service}\n${api("a", 'profile: "latency"')}\n${api("b", "")}`)).toEqual([
      '"a" sets profile latency, and the Service, used by "b", sets batch (fw/mixed-profile)',
    ]);
    expect(await said(`${service}\n${api("a", 'profile: "latency"')}\n${api("b", 'profile: "latency"')}`)).toEqual([]);
  });

  test("is not what runs as a service of its own", async () => {
    const own = "export const send = Worker(mail, () => {}, { footprint: { cpu: 4 } });";
    expect(await said(`${api("a", "footprint: { cpu: 2 }")}\n${own}`)).toEqual([]);
  });
});

test("what is pinned is for every service of the package that can use it, and a handler's own goes before", async () => {
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --
${declared}
export const rebuild = Job("rebuild");
export const web = Service({ profile: "batch", footprint: { cpu: 0.5 }, traffic: { timeout: "10s" } });
export const list = API("GET /list", () => ({ ok: true }), { footprint: { memory: "1Gi" }, traffic: { maxInstances: 7 } });
export const send = Worker(mail, () => {}, { profile: "latency", traffic: { concurrency: 1, timeout: "20m" } });
export const run = Runner(rebuild, () => {});
`);
  expect(diagnostics).toEqual([]);
  expect(graph(app).services[0]?.scaling).toEqual([
    {
      service: "shop-web",
      profile: "batch",
      footprint: { cpu: 0.5, memory: "1Gi" },
      traffic: { minInstances: 0, maxInstances: 7, concurrency: 1, timeout: "10s" },
      declared: true,
    },
    {
      service: "shop-send",
      profile: "latency",
      footprint: { cpu: 0.5, memory: "1Gi" },
      traffic: { minInstances: 1, maxInstances: 100, concurrency: 1, timeout: "20m" },
      declared: true,
    },
    { service: "shop-run", profile: "batch", footprint: { cpu: 2, memory: "2Gi" }, traffic: null, declared: true },
  ]);
});
