// Writes documents that want each other's values for ever, all at once, and tells its parent what each write came to.
const [module, directory, definitions, documents, emails] = process.argv
  .slice(2)
  .map((each, i) => (i < 2 ? each : JSON.parse(each)));
const { openLocal } = await import(module);
const { entities } = await openLocal(directory, definitions);

await Promise.all(documents.map(writeForEver));

async function writeForEver(id, start) {
  for (let n = start; ; n++) process.send(await write({ kind: "person", id }, n));
}

/** Values are let go by deletes, too. */
async function write(key, n) {
  try {
    if (n % 5 === 0) await entities.delete(key);
    else await entities.upsert(key, { email: emails[(n * (start + 1)) % emails.length] });
    return "made";
  } catch (error) {
    if (error.code !== "taken") throw error;
    return "taken";
  }
}
