// Writes documents that want each other's values for ever, all at once, and tells its parent what each write came to.
const [module, directory, definitions, documents, emails] = process.argv
  .slice(2)
  .map((each, i) => (i < 2 ? each : JSON.parse(each)));
const { openLocal } = await import(module);
const { entities } = await openLocal(directory, definitions);

await Promise.all(documents.map(writeForEver));

async function writeForEver(id, start) {
  // Strides that differ, so that the documents meet at the same values.
  const emailOf = (n) => (n % 5 === 0 ? undefined : emails[(n * (start + 1)) % emails.length]);
  for (let n = start; ; n++) process.send(await write({ kind: "person", id }, emailOf(n)));
}

/** Values are let go by deletes, too. */
async function write(key, email) {
  try {
    if (email === undefined) await entities.delete(key);
    else await entities.upsert(key, { email });
    return "made";
  } catch (error) {
    if (error.code !== "taken") throw error;
    return "taken";
  }
}
