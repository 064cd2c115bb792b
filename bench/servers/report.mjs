// Reports the port of a server under measurement to the parent and, on request, the resources that it has used.
export function report(port) {
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }));
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
