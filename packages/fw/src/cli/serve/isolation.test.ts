import { expect, test } from "vitest";
import { isHeldBack, isolatingOptions, readIsolation } from "./isolation.ts";

const files = { read: ["/data/services/versions/hall/1"], temporary: "/data/services/tmp/hall" };

test("from Node 24 on a service reads its own files, writes temporary ones, and opens no database", () => {
  expect(isolatingOptions(readIsolation([]), files, "24.0.0")).toEqual([
    "--permission",
    "--allow-fs-read=/data/services/versions/hall/1",
    "--allow-fs-read=/data/services/tmp/hall",
    "--allow-fs-write=/data/services/tmp/hall",
    "--no-experimental-sqlite",
  ]);
  expect(isolatingOptions(readIsolation([]), files, "25.1.0")).toContain("--allow-net");
  expect(isolatingOptions(readIsolation([]), files, "22.20.0")).toEqual([]);
});

test("an operator gives services more, up to everything", () => {
  const widened = readIsolation([
    "addons",
    "child-processes",
    "workers",
    "wasi",
    "sqlite",
    "read=/etc/notes",
    "write=/srv",
  ]);
  const options = isolatingOptions(widened, files, "24.0.0");
  expect(options.slice(-6)).toEqual([
    "--allow-addons",
    "--allow-child-process",
    "--allow-worker",
    "--allow-wasi",
    "--allow-fs-read=/etc/notes",
    "--allow-fs-write=/srv",
  ]);
  expect(options).not.toContain("--no-experimental-sqlite");
  expect(isolatingOptions(readIsolation(["all"]), files, "24.0.0")).toEqual([]);
});

test.each(["", "everything", "read=relative", "toString", "read="])(
  "an access that fw does not know is refused: %j",
  (value) => {
    expect(() => readIsolation([value])).toThrow(`${JSON.stringify(value)} is none of addons,`);
  },
);

test("what Node says when it holds a service back is known", () => {
  expect(isHeldBack(`{"error":{"code":"ERR_ACCESS_DENIED"}}`)).toBe(true);
  expect(isHeldBack("Error: No such built-in module: node:sqlite")).toBe(true);
  expect(isHeldBack("ENOENT")).toBe(false);
});
