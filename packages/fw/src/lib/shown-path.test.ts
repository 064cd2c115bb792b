import { join, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { shownPath } from "./shown-path.ts";

const directory = resolve(sep, "home", "ann", "shop");

test.each([
  ["below the directory", join(directory, "ops", "rules.yml"), join("ops", "rules.yml")],
  ["the directory", directory, ""],
  ["a name that begins with dots", join(directory, "..ops"), "..ops"],
  ["the parent", join(directory, ".."), resolve(sep, "home", "ann")],
  ["next to the directory", join(directory, "..", "ops"), resolve(sep, "home", "ann", "ops")],
  ["elsewhere", resolve(sep, "srv", "ops"), resolve(sep, "srv", "ops")],
])("a path is shown as a user would type it: %s", (_place, path, expected) => {
  expect(shownPath(directory, path)).toBe(expected);
});
