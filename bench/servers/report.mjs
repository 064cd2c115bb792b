// A server under measurement tells its parent where it listens, and what it has used when asked.
export function report(port) {
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }));
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
