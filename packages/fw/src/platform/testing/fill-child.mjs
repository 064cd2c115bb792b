// Opens a store with an index that its documents are not in yet, and kills itself after some turns of the event loop.
const [module, directory, turns, definitions] = process.argv.slice(2);
const { openLocal } = await import(module);
let left = Number(turns);
const turn = () => (--left === 0 ? process.kill(process.pid, "SIGKILL") : setImmediate(turn));
turn();
await openLocal(directory, JSON.parse(definitions));
process.exit(1);
