// Opens a store and kills itself during its first delivery.
const [module, open, address, definitions] = process.argv.slice(2);
const { [open]: openStore } = await import(module);
const { dispatcher } = await openStore(address, JSON.parse(definitions), {});
dispatcher.deliver(() => process.kill(process.pid, "SIGKILL"));
