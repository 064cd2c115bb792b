import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLocal } from "../platform/local/open.ts";
import { createDocument, saveDocument } from "./documents.ts";
import type { ConsoleParts } from "./parts.ts";

const definitions = {
  kinds: [{ kind: "tickets", properties: [{ name: "status" }, { name: "@tenant" }], composites: [] }],
};

test("a document from before its entity had tenants belongs to none after it is saved", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-console-documents-"));
  const platform = await openLocal(directory, definitions, { temporary: true });
  onTestFinished(() => platform.close());
  const parts = {
    platform: async () => platform,
    definitions: () => definitions,
    model: () => undefined,
    documentProblem: () => undefined,
    references: () => [],
  } as unknown as ConsoleParts;
  const json = JSON.stringify({ status: "closed", "@tenant": "zoo" });
  for (const id of ["old", "acme/old"]) {
    const key = { kind: "tickets", id };
    await platform.entities.insert(key, { status: "open" });
    const { version } = (await platform.entities.get(key)) ?? {};
    await saveDocument({ ...key, version, json }, parts);
    expect((await platform.entities.get(key))?.fields).toEqual({ status: "closed" });
  }
  await createDocument({ kind: "tickets", tenant: "acme", id: "new", json }, parts);
  const created = await platform.entities.get({ kind: "tickets", id: "acme/new" });
  expect(created?.fields).toEqual({ status: "closed", "@tenant": "acme" });
  for (const tenant of ["", "acme/b", "x".repeat(129)])
    await expect(createDocument({ kind: "tickets", tenant, id: "new", json }, parts)).rejects.toThrow(
      "name the tenant",
    );
});
