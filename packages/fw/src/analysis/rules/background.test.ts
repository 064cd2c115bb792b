import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const imports =
  'import * as fw from "fw";\nimport { Auth, Bucket, Cron, Job, Queue, Runner, Singleton, Subscribe, Topic, Worker } from "fw";\n';

/** Prints the findings of a module of the package `shop`, without its path. */
function printed(source: string, others = ""): Promise<string[]> {
  return bench.printShop(`${imports}${source}\n${others}`);
}

const emails = 'export const emails = Queue<string>("emails");\n';
const placed = 'export const placed = Topic<string>("placed");\n';
const rebuild = 'export const rebuild = Job("rebuild");\n';

const calls = [
  'Bucket("photos")',
  'Queue<string>("emails")',
  'Topic<string>("placed")',
  "Worker(emails, () => {})",
  "Subscribe(placed, () => {})",
  'Cron("digest", "every 1h", () => {})',
  'Singleton("relay", () => {})',
];

describe("package-level: background work is declared at the top level", () => {
  test.each(calls)("not in a let: %s", async (call) => {
    const [name = ""] = call.split(/[<(]/);
    const lines = await printed(`export let x = ${call};`);
    const own = lines.filter((line) => line.includes("package-level"));
    expect(own).toEqual([`3:16: ${name} is in a let (fw/package-level)`]);
  });

  test("a runner in a function leaves its job alone: one mistake is told once", async () => {
    expect(await printed(`${rebuild}export function f() { return Runner(rebuild, () => {}); }`)).toEqual([
      "4:30: Runner is declared inside a function (fw/package-level)",
    ]);
  });

  test("a worker of a queue in a let is not told again", async () => {
    expect(await printed('let emails = Queue<string>("emails");\nexport const w = Worker(emails, () => {});')).toEqual([
      "3:14: Queue is in a let (fw/package-level)",
    ]);
  });
});

describe("const-name: a resource name is not a string constant", () => {
  test.each([
    ["Bucket(process.env.NAME!)", "3:25", "bucket"],
    ["Queue<string>(process.env.NAME!)", "3:32", "queue"],
    ["Topic<string>(process.env.NAME!)", "3:32", "topic"],
    ['Cron(process.env.NAME!, "every 1h", () => {})', "3:23", "cron"],
    ["Singleton(process.env.NAME!, () => {})", "3:28", "singleton"],
  ])("%s", async (call, position, noun) => {
    expect(await printed(`export const x = ${call};`)).toEqual([
      `${position}: the name of the ${noun} is not a string constant: \`process\` is only known at run time (fw/const-name)`,
    ]);
  });

  test("a name may be put together from constants, also of an enum", async () => {
    const source = 'enum Names { Mail = "mail" }\nconst env = "x";\n';
    expect(await printed(`${source}export const q = Queue<string>(\`\${Names.Mail}-\${env}\`);`)).toEqual([]);
  });
});

describe("resource-name: a bucket, queue or topic name is outside lowercase letters, digits and hyphens", () => {
  const names = ["Emails", "e_mails", "-emails", "emails-", "e mails", "", "ä", "a".repeat(64), "e.mails"];
  test.each(names)("%j", async (name) => {
    const text = JSON.stringify(name);
    expect(
      await printed(
        `export const a = Bucket(${text});\nexport const b = Queue<string>(${text});\nexport const c = Topic<string>(${text});`,
      ),
    ).toEqual([
      `3:25: "${name}" is not a valid name for a bucket (fw/resource-name)`,
      `4:32: "${name}" is not a valid name for a queue (fw/resource-name)`,
      `5:32: "${name}" is not a valid name for a topic (fw/resource-name)`,
    ]);
  });

  test.each(["a", "0", "a-b", "a--b", "9-lives", "a".repeat(63)])("%j is a name", async (name) => {
    expect(await printed(`export const a = Bucket("${name}");\nexport const b = Queue<string>("${name}");`)).toEqual(
      [],
    );
  });

  test("crons, jobs and singletons may have capitals and underscores", async () => {
    expect(
      await printed(
        'export const a = Cron("Nightly_Digest", "every 1h", () => {});\nexport const b = Singleton("Relay-2", () => {});',
      ),
    ).toEqual([]);
    expect(
      await printed(
        'export const a = Cron("a/b", "every 1h", () => {});\nexport const b = Singleton("x y", () => {});',
      ),
    ).toEqual([
      '3:23: "a/b" is not a valid name for a cron (fw/resource-name)',
      '4:28: "x y" is not a valid name for a singleton (fw/resource-name)',
    ]);
  });

  test("two of one kind have two names, across packages; of two kinds they may share one", async () => {
    const other = '-- mail/mail.ts --\nimport { Queue, Topic } from "fw";\nexport const q = Queue<string>("emails");';
    expect(await printed(`${emails}export const t = Topic<string>("emails");`, other)).toEqual([
      '3:37: two queues have the name "emails" (fw/resource-name)',
    ]);
    const crons =
      'export const a = Cron("Sweep", "every 1h", () => {});\nexport const b = Cron("sweep", "every 1h", () => {});';
    expect(await printed(crons)).toEqual([
      '4:23: two crons have the name "sweep", which only differ in case (fw/resource-name)',
    ]);
  });
});

describe("worker-binding: a Worker does not bind a package-level queue", () => {
  test.each([
    ["a topic", "placed", "this is declared by Topic, not a queue"],
    [
      "a bucket's event",
      "photos.uploaded",
      '"uploaded" is a property of a value that is declared by Bucket, not a queue',
    ],
    ["dead letters", "emails.dead", '"dead" is a property of a value that is declared by Queue, not a queue'],
    ["an inline queue", 'Queue<string>("inline")', "a queue is declared here, but only its name is allowed"],
    ["a function", "pick()", "this is not the name of a queue: `pick()` is not a declaration"],
  ])("%s", async (_, source, message) => {
    const lines = await printed(
      `${emails}${placed}export const photos = Bucket("photos");\ndeclare function pick(): typeof emails;\nexport const w = Worker(${source} as never, () => {});`,
    );
    expect(lines).toEqual([`7:25: ${message} (fw/worker-binding)`]);
  });

  test("no argument at all", async () => {
    expect(await printed("export const w = (Worker as any)();")).toEqual([
      "3:18: this is not the name of a queue (fw/worker-binding)",
    ]);
  });
});

describe("subscribe-binding: a Subscribe does not bind a topic or bucket event", () => {
  test.each([
    ["a queue", "emails", "this is declared by Queue, not a source of events"],
    ["a bucket", "photos", "this is declared by Bucket, not a source of events"],
    ["accounts", "auth", "this is declared by Auth, not a source of events"],
    [
      "what no bucket has",
      "photos.removed",
      '"removed" is a property of a value that is declared by Bucket, not a source of events',
    ],
    ["an inline topic", 'Topic<string>("t")', "a source of events is declared here, but only its name is allowed"],
    [
      "an event of an inline bucket",
      'Bucket("b").uploaded',
      "a source of events is declared here, but only its name is allowed",
    ],
  ])("%s", async (_, source, message) => {
    const lines = await printed(
      `${emails}export const photos = Bucket("photos");\nexport const auth = Auth({ social: true });\nexport const s = Subscribe((${source}) as never, () => {});`,
    );
    expect(lines).toEqual([`6:28: ${message} (fw/subscribe-binding)`]);
  });
});

describe("job-binding: a Runner binds no package-level job, or a job has no body", () => {
  test("a queue is no job", async () => {
    expect(await printed(`${emails}export const r = Runner(emails as never, () => {});`)).toEqual([
      "4:25: this is declared by Queue, not a job (fw/job-binding)",
    ]);
  });

  test("a job without a runner is told at the job", async () => {
    expect(await printed(rebuild)).toEqual(['3:14: the job "rebuild" has no Runner (fw/job-binding)']);
  });

  test("its body may stand in another package", async () => {
    const other =
      '-- work/work.ts --\nimport { Runner } from "fw";\nimport * as shop from "../shop/shop.ts";\nexport const r = Runner(shop.rebuild, () => {});';
    expect(await printed(rebuild, other)).toEqual([]);
  });

  test("a module that does not parse may hold the body", async () => {
    const lines = await printed(rebuild, "-- work/work.ts --\nexport const r = Runner(");
    expect(lines.filter((line) => line.includes("job-binding"))).toEqual([]);
  });
});

test("one-worker: two workers claim one queue: the later is reported, whatever they call it", async () => {
  const other =
    '-- mail/mail.ts --\nimport { Worker } from "fw";\nimport { emails as letters } from "../shop/shop.ts";\nexport const first = Worker(letters, () => {});';
  expect(
    await printed(`${emails}const alias = emails;\nexport const second = Worker(alias, () => {});`, other),
  ).toEqual(['5:30: the workers "first" and "second" handle the same queue (fw/one-worker)']);
});

test("one-job-handler: two handlers claim one job", async () => {
  const source = `${rebuild}export const a = Runner(rebuild, () => {});\nexport const b = Runner(rebuild, () => {});`;
  expect(await printed(source)).toEqual(['5:25: the runners "a" and "b" handle the same job (fw/one-job-handler)']);
});

describe("retries: RunnerConfig.Attempts is outside 0-10 or not constant", () => {
  test.each([
    ["-1", "attempts is -1, outside 0 to 10"],
    ["11", "attempts is 11, outside 0 to 10"],
    ["2.5", "attempts is not a whole number"],
    ["'3' as never", "attempts is not a whole number"],
    ["Number('3')", "attempts is not a constant: `Number('3')` is a call, whose result is only known at run time"],
  ])("%s", async (attempts, message) => {
    const source = `${rebuild}export const r = Runner(rebuild, () => {}, { attempts: ${attempts} });`;
    expect(await printed(source)).toEqual([`4:56: ${message} (fw/retries)`]);
  });

  test.each(["0", "10", "2 * 3", "undefined"])("%s is fine", async (attempts) => {
    expect(await printed(`${rebuild}export const r = Runner(rebuild, () => {}, { attempts: ${attempts} });`)).toEqual(
      [],
    );
  });
});

test.each(["23h", "367d", "always"])(
  "config-literal: the history of a Job is a time that fw can record: %s",
  async (history) => {
    const lines = await printed(
      `${rebuild.replace(/\);/, `, { history: "${history}" });`)}export const r = Runner(rebuild, () => {});`,
    );
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ""))).toEqual([
      `"history" must be a duration from 1 to 366 days, such as "30d" (fw/config-literal)`,
    ]);
  },
);

describe("config-literal: tasks and timeout of a Runner are constants that a job can have", () => {
  test.each([
    ["tasks: 0", '"tasks" must be a whole number from 1 to 10,000'],
    ["tasks: 10_001", '"tasks" must be a whole number from 1 to 10,000'],
    ["timeout: '999ms'", '"timeout" must be a duration from 1 second to 7 days, such as "10m"'],
    ["timeout: '8d'", '"timeout" must be a duration from 1 second to 7 days, such as "10m"'],
    ["timeouts: '1m'", 'there is no setting "timeouts"'],
  ])("%s", async (setting, message) => {
    const lines = await printed(`${rebuild}export const r = Runner(rebuild, () => {}, { ${setting} } as never);`);
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ""))).toEqual([`${message} (fw/config-literal)`]);
  });
});

describe("timezone: CronConfig.Timezone is not a constant known zone name", () => {
  test.each([
    ['"Europe/Zürich"', '"Europe/Zürich" is not a time zone'],
    ['"europe/zurich"', '"europe/zurich" is not a time zone'],
    ['"+01:00"', '"+01:00" is not a time zone'],
    ['""', '"" is not a time zone'],
    ["process.env.TZ", "timezone is not a constant: `process` is only known at run time"],
  ])("%s", async (zone, message) => {
    const source = `export const c = Cron("c", "every 1h", () => {}, { timezone: ${zone} });`;
    expect(await printed(source)).toEqual([`3:62: ${message} (fw/timezone)`]);
  });
});

describe("deadline: CronConfig.Deadline is outside 15s-30m", () => {
  test.each([
    ['"14.999s"', 'the deadline "14.999s" is shorter than 15 seconds'],
    ['"31m"', 'the deadline "31m" is longer than 30 minutes'],
    ['"soon" as never', 'the deadline "soon" is not a duration'],
    ["60 as never", "the deadline is not a duration"],
  ])("%s", async (deadline, message) => {
    const source = `export const c = Cron("c", "every 1h", () => {}, { deadline: ${deadline} });`;
    expect(await printed(source)).toEqual([`3:62: ${message} (fw/deadline)`]);
  });

  test.each(['"15s"', '"30m"', '"0.5h"'])("%s is fine", async (deadline) => {
    expect(await printed(`export const c = Cron("c", "every 1h", () => {}, { deadline: ${deadline} });`)).toEqual([]);
  });

  test("one that is no constant is a config-literal", async () => {
    const source = 'export const c = Cron("c", "every 1h", () => {}, { deadline: process.env.D as "1m" });';
    expect(await printed(source)).toEqual([
      '3:62: "deadline" is not a constant: `process` is only known at run time (fw/config-literal)',
    ]);
  });
});

describe("cron-schedule: a schedule cannot map onto unix-cron", () => {
  test.each([
    ['"every 7m"', '"every 7m" does not run at the same times every day'],
    ['"every 5h"', '"every 5h" does not run at the same times every day'],
    ['"every 48h"', '"every 48h" does not run at the same times every day'],
    ['"0 0 31 2 *"', 'the schedule "0 0 31 2 *" never matches a date'],
    ['"* * * *"', 'the schedule "* * * *" has 4 fields, not five'],
    ["process.env.S!", "the schedule is not a string constant: `process` is only known at run time"],
  ])("%s", async (schedule, message) => {
    expect(await printed(`export const c = Cron("c", ${schedule}, () => {});`)).toEqual([
      `3:28: ${message} (fw/cron-schedule)`,
    ]);
  });

  test.each(["every 1m", "every 15m", "every 60m", "every 12h", "every 24h", "0 7 * * MON", "*/5 8-18 1-7 * *"])(
    "%s is fine",
    async (schedule) => {
      expect(await printed(`export const c = Cron("c", "${schedule}", () => {});`)).toEqual([]);
    },
  );
});

describe("delivery: a Delivery field is out of range or wrong for the carrier", () => {
  const worker = (delivery: string): string =>
    `${emails}export const w = Worker(emails, () => {}, { ${delivery} } as never);`;
  const subscribe = (delivery: string): string =>
    `${placed}export const s = Subscribe(placed, () => {}, { ${delivery} } as never);`;

  test.each([
    [worker("maxAttempts: 4"), "maxAttempts is 4, outside 5 to 100"],
    [worker("maxAttempts: 101"), "maxAttempts is 101, outside 5 to 100"],
    [worker("maxAttempts: 5.5"), "maxAttempts is not a whole number"],
    [worker('minBackoff: "1m", maxBackoff: "30s"'), 'minBackoff "1m" is longer than maxBackoff "30s"'],
    [worker('minBackoff: "11m"'), 'minBackoff "11m" is longer than the default maxBackoff "10m"'],
    [worker('maxBackoff: "9s"'), 'the default minBackoff "10s" is longer than maxBackoff "9s"'],
    [worker('minBackoff: "0s"'), 'minBackoff "0s" is not a duration'],
    [worker('maxBackoff: "61m"'), 'maxBackoff "61m" is longer than 1h'],
    [worker("maxBackoff: 600"), "maxBackoff is not a duration"],
    [worker("rateLimit: 0"), "rateLimit is 0, outside 0 to 500"],
    [worker("rateLimit: -1"), "rateLimit is -1, outside 0 to 500"],
    [worker("rateLimit: 501"), "rateLimit is 501, outside 0 to 500"],
    [worker('rateLimit: "5"'), "rateLimit is not a number"],
    [subscribe("maxAttempts: 4"), "maxAttempts is 4, outside 5 to 100"],
    [subscribe('maxBackoff: "11m"'), 'maxBackoff "11m" is longer than 10m'],
    [subscribe("rateLimit: 5"), "a Subscribe has no rateLimit"],
  ])("%s", async (source, message) => {
    const lines = await printed(source);
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ""))).toEqual([`${message} (fw/delivery)`]);
  });

  test.each([
    worker('maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1h", rateLimit: 0.1'),
    worker('minBackoff: "10m"'),
    subscribe('maxAttempts: 100, minBackoff: "10s", maxBackoff: "10s"'),
  ])("%s is fine", async (source) => {
    expect(await printed(source)).toEqual([]);
  });

  test("a second delivery is one too many, and one held in a variable is not read", async () => {
    expect(await printed(`${emails}export const w = (Worker as any)(emails, () => {}, {}, {});`)).toEqual([
      "4:56: a declaration takes only one config (fw/one-config)",
    ]);
    expect(await printed(`${emails}const d = {};\nexport const w = Worker(emails, () => {}, d);`)).toEqual([
      "5:43: the config is not a literal (fw/config-literal)",
    ]);
  });
});

test("singleton-max: a singleton pins MaxInstances", async () => {
  const pinned = (value: string): string =>
    `export const s = Singleton("s", () => {}, { traffic: { maxInstances: ${value} } as never });`;
  expect(await printed(pinned("3"))).toEqual(['3:70: the singleton "s" sets maxInstances (fw/singleton-max)']);
  expect(await printed(pinned("Number('3')"))).toEqual([
    '3:70: the singleton "s" sets maxInstances (fw/singleton-max)',
  ]);
  expect(await printed(pinned("undefined"))).toEqual([]);
});

describe("wire-type: a message is something that JSON can carry", () => {
  test.each([
    ["Queue<{ file: fw.Blob }>('q')", "a Blob cannot be part of a JSON value"],
    ["Topic<() => void>('t')", "a function cannot be sent as JSON"],
    ["Queue<Map<string, string>>('q')", "Map cannot be sent as JSON"],
    ["Queue<bigint>('q')", "bigint cannot be sent as JSON"],
    ["Queue<void>('q')", "void cannot be sent as JSON"],
    ["Queue('q')", "unknown cannot be sent as JSON"],
    ["Queue<string | undefined>('q')", "undefined inside a value cannot be sent as JSON"],
  ])("%s", async (call, message) => {
    const lines = await printed(`export const x = ${call};`);
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ""))).toEqual([`${message} (fw/wire-type)`]);
  });

  test("it is told at the part, also in another module", async () => {
    const other = "-- lib/types.ts --\nexport interface Email {\n  to: string;\n  send(): void;\n}";
    const source = 'import type { Email } from "../lib/types.ts";\nexport const q = Queue<Email>("emails");';
    expect(await printed(source, other)).toEqual(["lib/types.ts:3:3: a method cannot be sent as JSON (fw/wire-type)"]);
  });
});
