// Writes pairs of documents for ever and tells its parent of each commit.
const [module, directory, definitions] = process.argv.slice(2);
const { openLocal } = await import(module);
const { entities } = await openLocal(directory, JSON.parse(definitions));
const ids = ["a", "b", "c", "d"];

await Promise.all(ids.map(writeForEver));

async function writeForEver(id) {
  const before = await entities.get({ kind: "row", id });
  for (let n = (before?.fields.n ?? 0) + 1; ; n++) {
    const transaction = await entities.begin();
    const fields = { n, group: id, check: String(n).padEnd(3000, ".") };
    transaction.upsert({ kind: "row", id }, fields);
    transaction.upsert({ kind: "row", id: `${id}-twin` }, fields);
    await transaction.commit();
    process.send([id, n]);
  }
}
