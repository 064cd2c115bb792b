// Opens a store with an unfilled index, and kills itself inside a transaction of the fill once the fill has read this
// many documents.
import { pathToFileURL } from "node:url";

const [module, directory, documents, definitions] = process.argv.slice(2);
const { openLocal } = await import(module);
const { FillSteps } = await import(new URL("fill-steps.js", pathToFileURL(module)));
const insert = Reflect.get(FillSteps.prototype, "insert");
FillSteps.prototype.insert = function (limit) {
  const position = insert.call(this, limit);
  if (this.documents >= Number(documents)) process.kill(process.pid, "SIGKILL");
  return position;
};
await openLocal(directory, JSON.parse(definitions));
process.exit(1);
