import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLocal, type InspectedPlatform } from "../platform/local/open.ts";
import { createDocument, deleteDocument, saveDocument, searchDocuments } from "./documents.ts";
import type { ConsoleParts } from "./parts.ts";

const definitions = {
  kinds: [
    { kind: "tickets", properties: [{ name: "status" }, { name: "@tenant" }], composites: [] },
    { kind: "notes", properties: [], composites: [] },
  ],
};

async function openParts(): Promise<{ readonly platform: InspectedPlatform; readonly parts: ConsoleParts }> {
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
  return { platform, parts };
}

test("a document that has changed since the page read it is refused at once, in one transaction", async () => {
  const { platform, parts } = await openParts();
  const key = { kind: "tickets", id: "t" };
  await platform.entities.insert(key, { status: "open" });
  const begin = vi.spyOn(platform.entities, "begin");
  const changes = [saveDocument, deleteDocument];
  for (const change of changes)
    await expect(change({ ...key, version: "earlier", json: "{}" }, parts)).rejects.toMatchObject({ code: "conflict" });
  expect(begin).toHaveBeenCalledTimes(changes.length);
  expect((await platform.entities.get(key))?.fields).toEqual({ status: "open" });
});

test("a search finds the document with an id, and words of the first documents in any field", async () => {
  const { platform, parts } = await openParts();
  for (let i = 0; i < 520; i++)
    await platform.entities.insert(
      { kind: "notes", id: `t${1000 + i}` },
      { status: `number ${i}`, by: { name: "Ann" } },
    );
  const search = (text: string): Promise<unknown> => searchDocuments({ kind: "notes", text }, parts);
  expect(await search("NUMBER 421")).toEqual({
    documents: [{ id: "t1421", summary: 'status: number 421, by: {"name":"Ann"}' }],
    isPartial: true,
  });
  expect(await search("t1519")).toMatchObject({ documents: [{ id: "t1519" }], isPartial: true });
  expect(await search("number 519")).toEqual({ documents: [], isPartial: true });
  expect(await search("_fw")).toEqual({ documents: [], isPartial: true });
  const { documents, isPartial } = (await search("ann")) as {
    readonly documents: readonly object[];
    isPartial: boolean;
  };
  expect([documents.length, isPartial]).toEqual([20, true]);
  await expect(searchDocuments({ kind: "tickets", text: "a" }, parts)).rejects.toThrow("name the tenant");
});

test("a document from before its entity had tenants belongs to none after it is saved", async () => {
  const { platform, parts } = await openParts();
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
