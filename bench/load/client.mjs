// Keep-alive connections over plain sockets, each with one request in flight. Content-Length delimits responses.
import { connect } from "node:net";

const END = Buffer.from("\r\n\r\n");

/** Sends `requests` in rotation over `connections` for `ms`; resolves to counts, and latencies in microseconds. */
export async function load({ port, requests, connections, ms }) {
  const wire = requests.map((request) => Buffer.from(request, "latin1"));
  const latencies = [];
  const counts = { answered: 0, failed: 0 };
  const stop = performance.now() + ms;
  await Promise.all(Array.from({ length: connections }, (_, i) => drive(port, wire, i, stop, counts, latencies)));
  latencies.sort((a, b) => a - b);
  return { ...counts, p50: at(latencies, 0.5), p99: at(latencies, 0.99) };
}

const at = (sorted, share) => Math.round(1000 * (sorted[Math.floor(sorted.length * share)] ?? 0));

function drive(port, wire, turn, stop, counts, latencies) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let pending = null;
    let sent = 0;
    const send = () => {
      sent = performance.now();
      if (sent >= stop) return socket.destroy();
      socket.write(wire[turn++ % wire.length]);
    };
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      pending = pending === null ? chunk : Buffer.concat([pending, chunk]);
      const length = responseLength(pending);
      if (length === undefined || pending.length < length) return;
      if (pending[9] === 0x32) counts.answered++;
      else counts.failed++;
      latencies.push(performance.now() - sent);
      pending = null;
      send();
    });
    socket.on("error", () => counts.failed++);
    socket.on("close", resolve);
  });
}

function responseLength(buffer) {
  const end = buffer.indexOf(END);
  if (end === -1) return undefined;
  const head = buffer.latin1Slice(0, end).toLowerCase();
  const start = head.indexOf("content-length:");
  if (start === -1) return head.includes("transfer-encoding: chunked") ? chunkedLength(buffer, end + 4) : end + 4;
  return end + 4 + Number.parseInt(head.slice(start + 15), 10);
}

function chunkedLength(buffer, start) {
  const last = buffer.indexOf("0\r\n\r\n", start);
  return last === -1 ? undefined : last + 5;
}
