// Writes pairs of documents in an endless loop, each with an account, and reports each write to its parent.
const [module, directory, definitions] = process.argv.slice(2);
const { openLocal } = await import(module);
const { entities, accounts } = await openLocal(directory, JSON.parse(definitions));
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
    await accounts.create({ email: `${id}.${n}@example.com`, name: "", emailVerified: false, claims: { n } });
    process.send([id, n]);
  }
}
