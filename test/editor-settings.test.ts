import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const repository = new URL("../", import.meta.url);
const template = new URL("../packages/fw/templates/common/", import.meta.url);

test.each([".editorconfig", ".vscode/settings.json"])("this repository has the %s of a new application", (file) => {
  expect(readFileSync(new URL(file, repository), "utf8")).toBe(readFileSync(new URL(file, template), "utf8"));
});
