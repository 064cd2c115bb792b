import { hash, randomBytes } from "node:crypto";
import { equalTexts } from "../../../lib/equal-texts.ts";
import type { Key, Platform, Transaction } from "../../../platform/contract.ts";
import { transact } from "../../../platform/transact.ts";
import type { Fields } from "../../../platform/values.ts";
import { linkKind } from "./kinds.ts";

/** Limit: milliseconds until a link to sign up or to verify an address expires. */
export const signUpLinkMs = 86_400_000;

/** Limit: milliseconds until a link to set a new password expires. */
export const resetLinkMs = 3_600_000;

/** Limit: milliseconds within which the code of a second factor must follow the password. */
export const challengeMs = 600_000;

/** The action that a token permits once. `none` permits nothing; it is stored if an address may not get a link. */
export type LinkPurpose = "sign-up" | "reset" | "verify" | "code" | "none";

/** The data stored for a mailed link, or for a sign-in that waits for a code. */
export interface Link {
  readonly purpose: LinkPurpose;
  /** The address that the link was sent to. */
  readonly email: string;
  /** The account's id; "" for a sign-up. */
  readonly account: string;
  /** The version of the account's password when the link was created; "" if it had none. */
  readonly password: string;
  readonly next: string;
}

interface StoredLink extends Fields, Link {
  /** The hash of the secret half of the token. */
  readonly hash: string;
}

/** The number of characters in a token's public half, which is the document's id. */
const idCharacters = 22;

const tokenPattern = /^[\w-]{65}$/;

/**
 * Stores a link in a transaction and returns its token: the document's id followed by 256 random bits, which are stored
 * only as a hash. A new link for the same subject replaces the previous one.
 */
export function addLink(transaction: Pick<Transaction, "upsert">, subject: string, link: Link, expires: Date): string {
  const id = hash("sha256", `link\0${subject}`, "base64url").slice(0, idCharacters);
  const secret = randomBytes(32).toString("base64url");
  const fields: StoredLink = { ...link, hash: hashOf(secret) };
  transaction.upsert({ kind: linkKind, id }, fields, { expires });
  return id + secret;
}

/** Returns the link of a token without using it up; undefined if it was used, was replaced or has expired. */
export async function findLink(platform: Platform, token: string): Promise<Link | undefined> {
  const key = keyOf(token);
  if (key === undefined) return undefined;
  const document = await platform.entities.get(key);
  return openLink(document?.fields as StoredLink | undefined, token);
}

/** Returns the link of a token and deletes it in the same transaction, so it can be used only once. */
export function takeLink(platform: Platform, token: string): Promise<Link | undefined> {
  return transact(platform, (transaction) => takeLinkIn(transaction, token));
}

/** Like `takeLink`, inside a transaction. */
export async function takeLinkIn(
  transaction: Pick<Transaction, "get" | "delete">,
  token: string,
): Promise<Link | undefined> {
  const key = keyOf(token);
  if (key === undefined) return undefined;
  const link = openLink((await transaction.get(key))?.fields as StoredLink | undefined, token);
  if (link !== undefined) transaction.delete(key);
  return link;
}

export function restoreLink(transaction: Pick<Transaction, "upsert">, token: string, link: Link, expires: Date): void {
  const key = keyOf(token);
  const fields: StoredLink = { ...link, hash: hashOf(token.slice(idCharacters)) };
  if (key !== undefined) transaction.upsert(key, fields, { expires });
}

function openLink(stored: StoredLink | undefined, token: string): Link | undefined {
  if (stored === undefined) return undefined;
  if (!equalTexts(stored.hash, hashOf(token.slice(idCharacters))) || stored.purpose === "none") return undefined;
  const { purpose, email, account, password, next } = stored;
  return { purpose, email, account, password, next };
}

function keyOf(token: string): Key | undefined {
  return tokenPattern.test(token) ? { kind: linkKind, id: token.slice(0, idCharacters) } : undefined;
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}
