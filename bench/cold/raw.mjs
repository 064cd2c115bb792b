import { createServer } from "node:http";

createServer((_req, res) => {
  const body = JSON.stringify({ hello: "world" });
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  res.end(body);
}).listen(Number(process.env.PORT), "127.0.0.1");
