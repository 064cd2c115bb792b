import { order, routes, sessionId } from "../servers/data.mjs";

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`;
const authenticated = (path, id) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: */*\r\nCookie: theme=dark; fw_session=${id}\r\n\r\n`;
const post = (path, body) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Scenarios by name, each with its requests, which are sent in rotation. */
export const scenarios = {
  hello: [get("/hello")],
  "path and query": [get("/users/42?page=3&sort=name&tag=a&tag=b")],
  "1 KB JSON POST": [post("/orders", JSON.stringify(order))],
  "200 routes": Array.from({ length: 20 }, (_, i) => get(`${routes[i * 10]}/id${i}`)),
  "HTML page": [get("/page")],
  "session from SQLite": Array.from({ length: 100 }, (_, i) => authenticated("/me", sessionId(i * 97))),
};
