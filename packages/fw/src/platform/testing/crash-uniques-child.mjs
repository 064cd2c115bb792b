// Concurrently writes documents that compete for unique values, in an endless loop, and reports the outcome of each
// write to its parent.
const [module, directory, definitions, documents, emails] = process.argv
  .slice(2)
  .map((each, i) => (i < 2 ? each : JSON.parse(each)));
const { openLocal } = await import(module);
const { entities } = await openLocal(directory, definitions);

await Promise.all(documents.map(writeForEver));

async function writeForEver(id, start) {
  // Different strides make the documents compete for the same values.
  const emailOf = (n) => (n % 5 === 0 ? undefined : emails[(n * (start + 1)) % emails.length]);
  for (let n = start; ; n++) process.send(await write({ kind: "person", id }, emailOf(n)));
}

/** Writes a document with `email`. Without it, deletes the document, which releases its value. Returns the outcome. */
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
