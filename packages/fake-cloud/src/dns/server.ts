import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Zone, ZoneRecord } from "./zone.ts";

/** The numbers of record types. */
const types: Readonly<Record<ZoneRecord["type"], number>> = { A: 1, CNAME: 5, AAAA: 28 };

/** A DNS resolver on its own port. */
export interface Resolver {
  /** `127.0.0.1:5353` */
  readonly address: string;
  close(): Promise<void>;
}

/** Answers DNS queries over UDP from a zone. */
export async function startResolver(zone: Zone): Promise<Resolver> {
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    const answer = answerTo(question, zone);
    if (answer) socket.send(answer, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  socket.unref();
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/**
 * Returns the response to a query, which has a header of twelve bytes, the labels of a name, a type and a class.
 * Undefined if the query is cut off.
 */
function answerTo(question: Buffer, zone: Zone): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > question.length) return undefined;
  const number = question.readUInt16BE(at + 1);
  const type = Object.entries(types).find(([, code]) => code === number)?.[0] as ZoneRecord["type"] | undefined;
  const foundRecords = type && zone.answer(labels.join(".").toLowerCase(), type);
  const records = (foundRecords ?? []).map(recordBytes);
  const head = Buffer.from(question.subarray(0, 12));
  // A response of a recursive resolver; the code 3 means that the name does not exist.
  head.writeUInt16BE(0x8180 | (type && foundRecords === undefined ? 3 : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, question.subarray(12, at + 5), ...records]);
}

function recordBytes({ name, type, data }: ZoneRecord & { readonly name: string }): Buffer {
  const content = type === "CNAME" ? nameBytes(data) : addressBytes(data);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(types[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(content.length, 8);
  return Buffer.concat([nameBytes(name), fixed, content]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const [before = "", after = ""] = address.split("::");
  const [first, last] = [groups(before), groups(after)];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
