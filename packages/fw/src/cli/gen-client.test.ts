import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { main } from "./main.ts";
import { fw } from "./testing/run.ts";

const place = ".fw/gen/client/ts/api.ts";

test("every reason is a line, those of fw check among them, and the file stays as it was", async () => {
  await using app = await writeTypedApp(`
-- a/a.ts --
import { API } from "fw";
export const list = API("GET /a", () => 1);
`);
  expect((await fw(app.root, "gen", "client", "ts")).code).toBe(0);
  const before = readFileSync(join(app.root, place), "utf8");
  await app.write(
    "b/b.ts",
    `import { API } from "fw";
export const list = API("GET /b", (): Map<string, string> => new Map());
export const keys = API("GET /keys", (): Record<number, string> => ({}));
`,
  );
  const { code, out } = await fw(app.root, "gen", "client", "ts");
  expect([code, out.match(/^\S+:\d+:\d+: .*$/gm)]).toEqual([
    1,
    [
      'b/b.ts:2:14: the client would have two methods "list": for GET /a and for GET /b (client)',
      expect.stringMatching(/^b\/b\.ts:2:\d+: .*Map/),
      expect.stringMatching(/^b\/b\.ts:3:\d+: .*number keys/),
    ],
  ]);
  expect(readFileSync(join(app.root, place), "utf8")).toBe(before);
});

test("the client is written where --out says, seen from where the command runs, and only when it is another", async () => {
  await using app = await writeTypedApp(`
-- a/a.ts --
import { API } from "fw";
export const list = API("GET /a", () => 1);
`);
  const run = () => fw(join(app.root, "a"), "gen", "client", "ts", "--out", "../web/api.ts");
  const client = join(app.root, "web/api.ts");
  expect([await run(), await run()].map(({ out }) => out)).toEqual([`${client} written\n`, `${client} unchanged\n`]);
  expect(existsSync(join(app.root, place))).toBe(false);
});

test("with --watch the file follows each save, and stays as it was while something is wrong", async () => {
  await using app = await writeTypedApp(`
-- shop/shop.ts --
import { API } from "fw";
export const first = API("GET /first", () => 1);
`);
  const [source, client] = [join(app.root, "shop/shop.ts"), join(app.root, "out/api.ts")];
  let printed = "";
  let stop = (): void => {};
  const output = { isTTY: false, write: (text: string) => void (printed += text) };
  const running = main(["gen", "client", "ts", "--out", "out/api.ts", "--watch"], {
    cwd: app.root,
    env: {},
    out: output,
    err: output,
    input: { isTTY: false, line: async () => "", secret: async () => "", read: () => () => {} },
    onUnread: () => () => {},
    onSignals: () => () => {},
    progress: { step: () => {}, detail: () => {}, end: () => {} },
    onStop: (told) => {
      stop = told;
      return () => {};
    },
  });
  const writtenAt = (): string => (existsSync(client) ? readFileSync(client, "utf8") : "");
  await expect.poll(writtenAt).toContain("first(");
  const text = readFileSync(source, "utf8");
  writeFileSync(source, `${text}export const second = API("GET /second", () => 2);\n`);
  await expect.poll(writtenAt).toContain("second(");
  writeFileSync(source, `${text}export const second = API("GET second", () => 2);\n`);
  await expect.poll(() => printed).toContain("(fw/const-route)");
  expect(writtenAt()).toContain("second(");
  writeFileSync(source, text);
  await expect.poll(writtenAt).not.toContain("second(");
  stop();
  expect(await running).toBe(0);
});
