import { connect } from "node:net";

/** Sends `count` requests on each of several connections, in rotation. */
export function sendOnConnections(connections, port, requests, count) {
  return Promise.all(Array.from({ length: connections }, () => send(port, requests, count)));
}

/** Sends requests on one connection, each as soon as the response to the previous one starts to arrive. */
function send(port, requests, count) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let remaining = count;
    const next = () => socket.write(requests[remaining % requests.length], "latin1");
    socket.on("connect", next).on("error", reject);
    socket.on("data", (chunk) => {
      const begin = chunk.toString("latin1", 0, 12);
      if (!begin.startsWith("HTTP/1.1")) return;
      if (begin !== "HTTP/1.1 200") return reject(new Error(chunk.toString()));
      remaining -= 1;
      if (remaining > 0) return next();
      socket.destroy();
      resolve();
    });
  });
}
