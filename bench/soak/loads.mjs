import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { until } from "../robustness/process.mjs";
import { inParallel } from "../robustness/wire.mjs";

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const picture = Buffer.alloc(200_000, 7);
/** Exceeds a service's memory buffer for uploads, so that it creates temporary files. */
const large = Buffer.alloc(34 * 1024 * 1024, 7);
const boundary = "soak";
let keys = 0;
let saves = 0;

/**
 * The loads, each with its number of iterations (`count`), concurrency (`atOnce`), targets (`on`) and one iteration
 * (`once`). `each` is the number of operations in an iteration, and `end` waits for its effects.
 */
export const loads = [
  { name: "sign-ins and sign-outs", count: 20_000, atOnce: 16, on: ["dev", "services", "built"], once: signInAndOut },
  { name: "messages", count: 500, each: 100, atOnce: 4, on: ["dev", "services"], once: sendMessages, end: allHandled },
  { name: "uploads, half of them aborted", count: 2_000, atOnce: 8, on: ["dev", "services", "built"], once: upload },
  {
    name: "streams that are left",
    count: 10_000,
    atOnce: 16,
    on: ["dev", "services", "built"],
    once: leaveStream,
    end: noneListens,
  },
  { name: "saves", count: 200, atOnce: 1, on: ["dev"], once: save },
];

export function run(load, target, count) {
  const turns = Array.from({ length: count }, (_, i) => i);
  return inParallel(turns, load.atOnce, (turn) => load.once(target, turn)).then(() => load.end?.(target));
}

async function signInAndOut(target, turn) {
  const { mode, idTokens } = target;
  // A deployed service runs behind one proxy, over https.
  const headers = { "content-type": "application/json", "x-forwarded-proto": mode === "dev" ? "http" : "https" };
  const credential = JSON.stringify({ idToken: idTokens[turn % idTokens.length] });
  const began = await ask(target, "POST", "/_fw/api/session", headers, credential);
  expectStatus(began, 200);
  const cookie = began.headers["set-cookie"]?.map((each) => each.split(";", 1)[0]).join("; ") ?? "";
  expectStatus(await ask(target, "GET", "/who", { ...headers, cookie }), 200);
  expectStatus(await ask(target, "DELETE", "/_fw/api/session", { ...headers, cookie }), 204);
}

async function sendMessages(target) {
  const body = JSON.stringify({ count: 100 });
  expectStatus(await ask(target, "POST", "/tasks", { "content-type": "application/json" }, body), 204);
  target.sent = (target.sent ?? 0) + 100;
}

function allHandled(target) {
  const tally = async () => Number((await ask(target, "GET", "/tally")).body) >= target.sent;
  return until(tally, 120_000, "all messages to be handled");
}

/** Alternates between signed URLs and forms. Half of the uploads break off, and two in fifty are large forms. */
async function upload(target, turn) {
  const broken = turn % 4 < 2;
  if (turn % 2 === 0) return putSigned(target, broken, turn);
  const body = formOf(turn % 50 === 1 || turn % 50 === 3 ? large : picture);
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  if (broken) return breakOff(target, "POST", "/uploads", headers, body, turn);
  expectStatus(await ask(target, "POST", "/uploads", headers, body), 200);
}

async function putSigned(target, broken, turn) {
  // Uses few keys, so that stored objects do not count as leaks.
  const ticket = await ask(target, "GET", `/tickets/key-${keys++ % 10}`);
  expectStatus(ticket, 200);
  const { url, headers } = JSON.parse(ticket.body);
  const path = url.replace(/^https?:\/\/[^/]+/, "");
  if (broken) return breakOff(target, "PUT", path, headers, picture, turn);
  expectStatus(await ask(target, "PUT", path, headers, picture), 200);
}

function formOf(bytes) {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

/** Sends part of a body and disconnects. */
function breakOff({ port }, method, path, headers, body, turn) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const lines = Object.entries({ Host: `localhost:${port}`, "Content-Length": body.length, ...headers });
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    socket.write(body.subarray(0, Math.floor((body.length * (turn % 7)) / 7)), () =>
      turn % 3 === 0 ? socket.resetAndDestroy() : socket.destroy(),
    );
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}

/**
 * Opens a stream and leaves it. A third of the clients disconnect before the response, the others at its first bytes.
 * In mode `dev`, another third listens to the dev server.
 */
function leaveStream({ port, mode }, turn) {
  const path = turn % 3 === 2 && mode === "dev" ? "/_fw/dev/events" : "/events";
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`, () => turn % 3 === 0 && socket.destroy());
    });
    socket.once("data", () => (turn % 2 === 0 ? socket.resetAndDestroy() : socket.destroy()));
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}

function noneListens(target) {
  return until(
    async () => (await ask(target, "GET", "/listening")).body === "0",
    20_000,
    "the streams that were left to be cancelled",
  );
}

async function save(target) {
  const version = ++saves;
  writeFileSync(join(target.app, "version.ts"), `export const version = ${version};\n`);
  await until(
    async () => (await ask(target, "GET", "/version")).body === String(version),
    20_000,
    `version ${version} to answer`,
  );
}

function ask({ port }, method, path, headers = {}, body) {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", agent, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: text }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function expectStatus({ status, body }, wanted) {
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body.slice(0, 200)}`);
}
