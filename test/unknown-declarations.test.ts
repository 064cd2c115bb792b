import { rmSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { build } from "./support/build.ts";
import { launchDev, startDev, writeApplication } from "./support/dev-app.ts";
import { importTest, testedApp } from "./support/fw-test.ts";

/** A package that re-exports fw without types. */
const kit = {
  "node_modules/kit/package.json": `{ "name": "kit", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" } }`,
  "node_modules/kit/index.js": `import * as fw from "fw";\nexport default fw;`,
  "node_modules/kit/index.d.ts": "declare const kit: any;\nexport default kit;",
};

const sound = `import { API } from "fw";
export const hello = API("GET /hello", (): string => "hello");
`;
const indirect = `import kit from "kit";
export const emails = kit.Queue("emails");
`;
const unknownQueue =
  'Queue("emails"): fw did not find it in the source, although the application declares it when it loads';

const roots: string[] = [];
afterEach(() => roots.splice(0).forEach((root) => rmSync(root, { recursive: true, force: true })));

function writeApp(files: Readonly<Record<string, string>>): string {
  const root = writeApplication({ ...kit, ...files });
  roots.push(root);
  return root;
}

describe("a declaration that the source does not show is refused when the application loads", () => {
  test("in development, at its line, while the application before it goes on", async () => {
    await using dev = await startDev({ ...kit, "web/web.ts": sound });
    dev.write({ "web/web.ts": `import "./queues.ts";\n${sound}`, "web/queues.ts": indirect });
    await dev.says(unknownQueue);
    expect(dev.output()).toContain("web/queues.ts:2:23: Queue");
    expect((await dev.get("/hello")).body).toBe('"hello"');
    dev.write({ "web/web.ts": sound.replaceAll('"hello"', '"mended"'), "web/queues.ts": "export {};" });
    await dev.eventually("/hello", ({ body }) => body === '"mended"');
  });

  test.each(["node", "vitest"] as const)("in a test that %s runs", async (runner) => {
    using app = testedApp(runner, {
      ...kit,
      "web/web.ts": `import "./queues.ts";\n${sound}`,
      "web/queues.ts": indirect,
      "web/web.test.ts": `import { newTestApp } from "fw/testing";
${importTest(runner)}
test("it answers", async () => {
  await using app = await newTestApp();
  await app.fetch("/hello");
});
`,
    });
    const { code, output } = await app.run();
    expect([code, output]).toEqual([1, expect.stringContaining(unknownQueue)]);
    expect(output).toContain("queues.ts:2");
  });

  test("in a service, which is not built, and beside others on one machine", async () => {
    const root = writeApp({ "web/web.ts": `import "./queues.ts";\n${sound}`, "web/queues.ts": indirect });
    await expect(build(root)).rejects.toThrow(`fw: cannot load the service web: web/queues.ts:2: ${unknownQueue}`);
    await using dev = launchDev(root, ["--services"]);
    await dev.says(unknownQueue);
  });
});

describe("a setting that code changes before its declaration reads it is refused when the application loads", () => {
  const changed = `import { Cron } from "fw";
import { delay } from "./delay.ts";
const settings = { schedule: "0 3 * * *" };
delay(settings);
export const nightly = Cron("nightly", settings.schedule, () => undefined);
`;
  const delay = `export function delay(settings: { schedule: string }): void {
  settings.schedule = "0 4 * * *";
}
`;
  const sentence = 'Cron("nightly") has a different schedule when the application loads than in the source';

  test("in a service, which is not built", async () => {
    const root = writeApp({ "web/web.ts": changed, "web/delay.ts": delay });
    await expect(build(root)).rejects.toThrow(`fw: cannot load the service web: web/web.ts:5: ${sentence}`);
  });

  test("in development, at its line", async () => {
    await using dev = await startDev({ ...kit, "web/web.ts": sound });
    dev.write({ "web/cron.ts": changed, "web/delay.ts": delay });
    await dev.says(sentence);
    expect(dev.output()).toContain("web/cron.ts:5:24");
  });
});

test("a declaration that a handler makes is refused at that moment", async () => {
  await using dev = await startDev({
    ...kit,
    "web/web.ts": `import { API } from "fw";
import kit from "kit";
export const late = API("GET /late", async (ctx): Promise<string> => {
  const emails = kit.Queue("late");
  await emails.send(ctx, "hello");
  return "sent";
});
`,
  });
  expect((await dev.get("/late")).status).toBe(500);
  await dev.says('Queue("late") is declared while the application runs, which has no effect');
});
