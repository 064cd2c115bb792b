// Reports to the parent where a server under measurement listens, and on request what it has used.
export function report(port) {
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }));
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
