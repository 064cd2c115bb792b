import type { Order } from "../contract.ts";
import type { Scalar } from "../values.ts";

/** The first byte of an encoded value, which orders the types. As in Datastore, Dates sort as Int64 microseconds. */
const types = { null: 0x10, integer: 0x20, boolean: 0x30, string: 0x40, double: 0x50 } as const;

/** Encodes a value as bytes that sort like it. No encoding is a prefix of another. Inverts every bit if descending. */
export function encodeScalar(value: Scalar, direction: Order["direction"]): Buffer {
  const bytes = ascending(value);
  if (direction === "desc") for (let i = 0; i < bytes.length; i++) bytes[i] = ~(bytes[i] ?? 0);
  return bytes;
}

/** Returns the smallest bytes that sort after everything with this prefix; undefined if none exist. */
export function after(prefix: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(prefix);
  for (let end = bytes.length; end > 0; end--) {
    const byte = bytes[end - 1] ?? 0;
    if (byte === 0xff) continue;
    bytes[end - 1] = byte + 1;
    return bytes.subarray(0, end);
  }
  return undefined;
}

function ascending(value: Scalar): Buffer {
  if (value === null) return Buffer.from([types.null]);
  if (value instanceof Date) return integer(BigInt(value.getTime()) * 1000n);
  if (typeof value === "bigint") return integer(value);
  if (typeof value === "boolean") return Buffer.from([types.boolean, value ? 1 : 0]);
  return typeof value === "string" ? text(value) : double(value);
}

function integer(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = types.integer;
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n), 1);
  return bytes;
}

/**
 * Encodes a string. Escapes zero bytes as 0x00 0xff and ends with 0x00 0x01, so that a string sorts before strings that
 * extend it.
 */
function text(value: string): Buffer {
  const escaped = value.includes("\0") ? value.split("\0").map((piece) => Buffer.from(piece)) : [Buffer.from(value)];
  const parts = escaped.flatMap((piece, i) => (i === 0 ? [piece] : [Buffer.from([0x00, 0xff]), piece]));
  return Buffer.concat([Buffer.from([types.string]), ...parts, Buffer.from([0x00, 0x01])]);
}

/**
 * Encodes a double: inverts all bits of negative numbers and the sign bit of others. NaN sorts last, and -0 equals 0.
 */
function double(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = types.double;
  bytes.writeDoubleBE(Number.isNaN(value) ? Number.NaN : value + 0, 1);
  if ((bytes[1] ?? 0) < 0x80) bytes[1] = (bytes[1] ?? 0) | 0x80;
  else for (let i = 1; i < 9; i++) bytes[i] = ~(bytes[i] ?? 0);
  return bytes;
}
