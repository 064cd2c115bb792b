import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { App } from "../model/app.ts";
import { GeneratedFile } from "./generated-file.ts";
import { files } from "./testing/files.ts";

test("a generated file is written again for another model or input, or if something else changed it", () => {
  using app = files({});
  const path = app.path("out/file.txt");
  const one: App = { name: "one", packages: [], types: {} };
  const two: App = { ...one, name: "two" };
  const generated: string[] = [];
  const file = new GeneratedFile<readonly string[]>(path, ({ name }, input) => {
    generated.push(name);
    return input.length === 0 ? undefined : `${name} ${input.join()}`;
  });
  file.update(one, []);
  expect(existsSync(path)).toBe(false);
  file.update(one, ["a"]);
  file.update(one, ["a"]);
  expect(generated).toEqual(["one", "one"]);
  file.update(one, ["b"]);
  file.update(two, ["b"]);
  expect(readFileSync(path, "utf8")).toBe("two b");
  writeFileSync(path, "edited");
  file.update(two, ["b"]);
  rmSync(path);
  file.update(two, ["b"]);
  expect(readFileSync(path, "utf8")).toBe("two b");
  expect(generated).toEqual(["one", "one", "one", "two", "two", "two"]);
});
