import { expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { isHeldBack, readIsolation, restrictedProgram } from "./isolation.ts";

const files = { read: ["/data/services/versions/hall/1"], temporary: "/data/services/tmp/hall" };

function optionsOf(engine: Engine, allow: readonly string[], nodeVersion?: string): readonly string[] {
  const { program } = restrictedProgram(engine, readIsolation(allow), files, nodeVersion);
  return program.filter((option) => option === "--permission" || /^--(no-experimental|allow)/.test(option));
}

test("from Node 24 on a service reads its own files, writes temporary ones, and opens no database", () => {
  expect(optionsOf("node", [], "24.0.0")).toEqual([
    "--permission",
    "--allow-fs-read=/data/services/versions/hall/1",
    "--allow-fs-read=/data/services/tmp/hall",
    "--allow-fs-write=/data/services/tmp/hall",
    "--no-experimental-sqlite",
  ]);
  expect(optionsOf("node", [], "25.1.0")).toContain("--allow-net");
  expect(optionsOf("node", [], "22.20.0")).toEqual([]);
});

test("an operator gives services more, up to everything", () => {
  const widened = ["addons", "child-processes", "workers", "wasi", "sqlite", "read=/etc/notes", "write=/srv"];
  const options = optionsOf("node", widened, "24.0.0");
  expect(options.filter((option) => !option.includes("/data/"))).toEqual([
    "--permission",
    "--allow-fs-read=/etc/notes",
    "--allow-fs-write=/srv",
    "--allow-addons",
    "--allow-child-process",
    "--allow-worker",
    "--allow-wasi",
  ]);
  expect(options).not.toContain("--no-experimental-sqlite");
  expect(optionsOf("node", ["all"], "24.0.0")).toEqual([]);
});

test("Deno restricts a service in the same way, and Bun cannot", () => {
  const own = [
    "--allow-net",
    "--allow-env",
    "--allow-sys",
    "--allow-read=/data/services/versions/hall/1",
    "--allow-read=/data/services/tmp/hall",
    "--allow-write=/data/services/tmp/hall",
  ];
  expect(optionsOf("deno", [])).toEqual(own);
  expect(optionsOf("deno", ["addons", "child-processes"])).toEqual([...own, "--allow-ffi", "--allow-run"]);
  expect(optionsOf("deno", ["read=/a,b"])).toContain("--allow-read=/a,,b");
  expect(optionsOf("deno", ["all"])).toEqual(["--allow-all"]);
  expect(restrictedProgram("bun", readIsolation([]), files)).toEqual({ program: ["bun", "--bun"], isIsolated: false });
});

test.each(["", "everything", "read=relative", "toString", "read="])(
  "an access that fw does not know is refused: %j",
  (value) => {
    expect(() => readIsolation([value])).toThrow(`${JSON.stringify(value)} is not one of addons,`);
  },
);

test("what Node says when it holds a service back is known", () => {
  expect(isHeldBack(`{"error":{"code":"ERR_ACCESS_DENIED"}}`)).toBe(true);
  expect(isHeldBack("Error: No such built-in module: node:sqlite")).toBe(true);
  expect(isHeldBack("ENOENT")).toBe(false);
});
