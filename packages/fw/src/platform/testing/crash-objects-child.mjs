// Writes, replaces and deletes objects in an endless loop, and reports each finished operation to its parent.
const [module, directory, definitions, done] = process.argv.slice(2);
const { openLocal } = await import(module);
const { objects } = await openLocal(directory, JSON.parse(definitions));

await Promise.all(JSON.parse(done).map(([key, n]) => actForEver(key, n)));

async function actForEver(key, last) {
  for (let n = last + 1; ; n++) {
    if (n % 5 === 0) await objects.delete("photos", key);
    else await objects.put("photos", key, contentOf(n), { contentType: "text/plain" });
    process.send([key, n]);
  }
}

/** Returns chunks of lines that all contain `n`. */
function contentOf(n) {
  let remaining = 1 + ((n * 7919) % 20_000);
  const pull = (controller) => {
    if (remaining > 0) controller.enqueue(Buffer.from(`${n}\n`.repeat(Math.min(remaining, 1500))));
    else controller.close();
    remaining -= 1500;
  };
  return new ReadableStream({ pull });
}
