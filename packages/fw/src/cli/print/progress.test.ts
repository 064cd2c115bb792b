import { afterEach, expect, test, vi } from "vitest";
import { writeTypedApp } from "../../analysis/testing/typed-app.ts";
import { main } from "../main.ts";
import { silent } from "../testing/run.ts";
import { openProgress } from "./progress.ts";

afterEach(() => void vi.useRealTimers());

interface Screen {
  readonly text: () => string;
  readonly stream: { readonly isTTY: boolean; readonly columns: number; write(text: string): void };
}

function screen(isTTY: boolean, columns = 40): Screen {
  let text = "";
  return { text: () => text, stream: { isTTY, columns, write: (more) => void (text += more) } };
}

test("outside of a terminal each step is one line without escape codes", () => {
  const { text, stream } = screen(false);
  const progress = openProgress(stream, {});
  progress.step("bundling 2 services");
  progress.detail("shop");
  progress.step("bundling 2 services");
  progress.step("loading each service once");
  progress.end();
  expect(text()).toBe("bundling 2 services\nloading each service once\n");
});

test("a dumb terminal gets lines, too", () => {
  const { text, stream } = screen(true);
  openProgress(stream, { TERM: "dumb" }).step("bundling 2 services");
  expect(text()).toBe("bundling 2 services\n");
});

test("a terminal shows one live line with the detail and the duration, and nothing is left of it", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const { text, stream } = screen(true);
  const progress = openProgress(stream, { NO_COLOR: "1" });
  progress.step("bundling 2 services");
  progress.detail("shop");
  vi.advanceTimersByTime(3_000);
  expect(text().split("\r\u001b[2K").at(-1)).toMatch(/^\S bundling 2 services {2}shop {2}3 s$/);
  progress.end();
  const ended = text();
  expect(ended.endsWith("\r\u001b[2K")).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(text()).toBe(ended);
});

test("the live line never wraps", () => {
  const { text, stream } = screen(true, 20);
  openProgress(stream, { NO_COLOR: "1" }).step("bundling a service with a very long name");
  expect(text()).toBe("\r\u001b[2K⠋ bundling a servic");
});

test("a terminal that reports no width shows the step", () => {
  const { text, stream } = screen(true, 0);
  openProgress(stream, { NO_COLOR: "1" }).step("bundling 2 services");
  expect(text()).toContain("bundling 2 services");
});

test("NO_COLOR removes the colours of the live line", () => {
  const { text, stream } = screen(true);
  openProgress(stream, {}).step("bundling");
  expect(text()).toContain("\u001b[36m");
  const plain = screen(true);
  openProgress(plain.stream, { NO_COLOR: "1" }).step("bundling");
  expect(plain.text()).not.toContain("\u001b[36m");
});

test("other output of the terminal is written above the live line", () => {
  const { text, stream } = screen(true);
  const progress = openProgress(stream, { NO_COLOR: "1" });
  progress.step("applying the plan");
  progress.above("create a bucket\n", (more) => stream.write(more));
  expect(text()).toBe("\r\u001b[2K⠋ applying the plan\r\u001b[2Kcreate a bucket\n\r\u001b[2K⠋ applying the plan");
});

test("fw build names its steps on standard error only", async () => {
  await using app = await writeTypedApp(`
-- shop/shop.ts --
import { API } from "fw";
export const hello = API("GET /", () => ({ hello: "world" }));
`);
  let [out, steps] = ["", ""];
  const progress = openProgress({ isTTY: false, write: (text) => void (steps += text) }, {});
  const io = {
    ...silent,
    cwd: app.root,
    env: {},
    progress,
    out: { isTTY: false, write: (text: string) => void (out += text) },
  };
  expect(await main(["build"], io)).toBe(0);
  expect(steps).toBe(
    "checking the application\nfinding what each service uses\nbundling 1 service\nloading each service once\n",
  );
  expect(out).not.toMatch(/bundling|loading|checking/);
});
