import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DamagedFile } from "../../lib/own-file.ts";
import { tries } from "../../lib/testing/tries.ts";
import { Refusal } from "../command.ts";
import { readRelease } from "./release.ts";

const manifest = {
  version: 2,
  platform: "local",
  app: "town",
  services: [{ name: "hall", entry: "services/hall/main.js", site: "", secrets: ["KEY"] }],
};
const model = { version: 1, app: { name: "town", packages: [], types: {} }, grants: { hall: [] } };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "fw-release-"));
  mkdirSync(join(directory, "services/hall"), { recursive: true });
});
afterAll(() => rmSync(directory, { recursive: true }));

function write(files: Readonly<Record<string, unknown>>): void {
  const all = { "app.json": manifest, "model.json": model, "services/hall/main.js": 0, ...files };
  for (const [name, value] of Object.entries(all)) writeFileSync(join(directory, name), JSON.stringify(value));
}

test("a build is read as far as a server needs it", () => {
  write({});
  expect(readRelease(directory).manifest.services).toEqual(manifest.services);
});

test.each([
  ["app.json", null, "app.json is damaged: its JSON is not an object"],
  ["app.json", [], "app.json is damaged: its JSON is not an object"],
  ["app.json", { ...manifest, services: [{}] }, "app.json is damaged: its JSON.services[0].name is not a string"],
  ["app.json", { ...manifest, version: 1 }, "was built by another version of fw"],
  ["app.json", { version: 1, platform: "gcp" }, "was built for gcp"],
  ["model.json", [], "model.json is damaged: its JSON is not an object"],
  ["model.json", { ...model, app: null }, "model.json is damaged: its JSON.app is not an application"],
])("a build whose %s is %j is refused in a sentence", (name, value, sentence) => {
  write({ [name]: value });
  expect(() => readRelease(directory)).toThrow(sentence);
});

test("a build that lacks an entry is refused with the service's name", () => {
  write({});
  rmSync(join(directory, "services/hall/main.js"));
  expect(() => readRelease(directory)).toThrow("services/hall/main.js of the service hall is missing; build it again");
});

/** Returns the value with one member, at any depth, replaced. */
function damaged(value: unknown, path: readonly number[], by: unknown): unknown {
  const [at = 0, ...rest] = path;
  if (typeof value !== "object" || value === null || path.length === 0) return by;
  const members = Object.entries(value);
  const picked = members.length === 0 ? undefined : members[at % members.length]?.[0];
  const changed = members.map(([name, member]) => [name, name === picked ? damaged(member, rest, by) : member]);
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}

test("whatever stands in a build's files, it is read or refused in a sentence", () => {
  const other = fc.constantFrom(null, [], {}, "", "x", 0, -1, true, [null], { version: 1 });
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.nat(9), { maxLength: 5 }), other, (ofModel, path, by) => {
      write(ofModel ? { "model.json": damaged(model, path, by) } : { "app.json": damaged(manifest, path, by) });
      try {
        readRelease(directory);
      } catch (error) {
        expect(error instanceof Refusal || error instanceof DamagedFile).toBe(true);
      }
    }),
    { numRuns: tries(200) },
  );
});
