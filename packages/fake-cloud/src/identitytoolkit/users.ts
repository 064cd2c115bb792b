import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type { CloudClock } from "../clock.ts";
import { invalid } from "../errors.ts";

/** An account as Identity Platform stores it. */
export interface User {
  readonly localId: string;
  readonly email: string;
  readonly displayName: string;
  readonly emailVerified: boolean;
  readonly disabled: boolean;
  /** JSON; "" for none. */
  readonly customAttributes: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastLoginAt?: number;
  /** Seconds since 1970. */
  readonly validSince: number;
  readonly password?: { readonly salt: Buffer; readonly hash: Buffer };
  /** Providers with an account that is linked to this one, such as `google.com`. */
  readonly providers: readonly string[];
}

export type NewUser = Partial<Omit<User, "password" | "createdAt" | "validSince">> & { readonly password?: string };

/** Claims that Identity Platform sets itself. */
const reserved = "acr amr at_hash aud auth_time azp cnf c_hash exp firebase iat iss jti nbf nonce sub user_id".split(
  " ",
);

/** The accounts of a project. Addresses are stored in lower case. */
export class Users {
  readonly #users = new Map<string, User>();
  readonly #clock: CloudClock;

  constructor(clock: CloudClock) {
    this.#clock = clock;
  }

  get(id: string): User | undefined {
    return this.#users.get(id);
  }

  byEmail(email: string): User | undefined {
    return [...this.#users.values()].find((user) => user.email !== "" && user.email === email.toLowerCase());
  }

  create(fields: NewUser): User {
    const { localId = randomBytes(21).toString("base64url"), email = "", password, ...rest } = fields;
    if (localId === "" || localId.length > 128) throw invalid("INVALID_LOCAL_ID");
    if (this.#users.has(localId)) throw invalid("DUPLICATE_LOCAL_ID");
    if (email !== "") this.#checkEmail(email);
    const user: User = {
      localId,
      email: email.toLowerCase(),
      displayName: "",
      emailVerified: false,
      disabled: false,
      customAttributes: "",
      createdAt: this.#clock.now(),
      validSince: Math.floor(this.#clock.now() / 1000),
      providers: [],
      ...rest,
      ...(password !== undefined && { password: hashed(password) }),
    };
    this.#users.set(localId, user);
    return user;
  }

  update(id: string, change: Partial<Omit<User, "localId" | "password">> & { readonly password?: string }): User {
    const before = this.#users.get(id);
    if (before === undefined) throw invalid("USER_NOT_FOUND");
    const { password, ...rest } = change;
    if (rest.email !== undefined && rest.email.toLowerCase() !== before.email) this.#checkEmail(rest.email);
    if (rest.customAttributes !== undefined) checkAttributes(rest.customAttributes);
    const now = Math.floor(this.#clock.now() / 1000);
    const user: User = {
      ...before,
      ...rest,
      ...(rest.email !== undefined && { email: rest.email.toLowerCase() }),
      ...(password !== undefined && { password: hashed(password), validSince: now }),
    };
    this.#users.set(id, user);
    return user;
  }

  delete(id: string): void {
    if (!this.#users.delete(id)) throw invalid("USER_NOT_FOUND");
  }

  /** Returns a page of accounts whose ids follow `after`, ordered by id. */
  page(after: string, most: number): { readonly users: readonly User[]; readonly more: boolean } {
    const rest = [...this.#users.values()]
      .filter(({ localId }) => localId > after)
      .toSorted((a, b) => (a.localId < b.localId ? -1 : 1));
    return { users: rest.slice(0, most), more: rest.length > most };
  }

  #checkEmail(email: string): void {
    if (!/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(email)) throw invalid("INVALID_EMAIL");
    if (this.byEmail(email)) throw invalid("EMAIL_EXISTS");
  }
}

/** True if the password is correct. */
export function hasPassword({ password }: User, given: string): boolean {
  return password !== undefined && timingSafeEqual(password.hash, derived(given, password.salt));
}

/** Formats an account as the API returns it. */
export function toJSON(user: User): object {
  const { localId, email, displayName, createdAt, lastLoginAt, validSince, customAttributes, password } = user;
  const ids = [...user.providers, ...(password ? ["password"] : [])];
  return {
    localId,
    ...(email !== "" && { email, emailVerified: user.emailVerified }),
    ...(displayName !== "" && { displayName }),
    ...(user.disabled && { disabled: true }),
    ...(customAttributes !== "" && { customAttributes }),
    ...(password && { passwordHash: password.hash.toString("base64"), salt: password.salt.toString("base64") }),
    ...(ids.length > 0 && { providerUserInfo: ids.map((providerId) => ({ providerId, email, displayName })) }),
    createdAt: String(createdAt),
    ...(lastLoginAt !== undefined && { lastLoginAt: String(lastLoginAt) }),
    validSince: String(validSince),
  };
}

function hashed(password: string): NonNullable<User["password"]> {
  if (password.length < 6) throw invalid("WEAK_PASSWORD : Password should be at least 6 characters");
  const salt = randomBytes(16);
  return { salt, hash: derived(password, salt) };
}

function derived(password: string, salt: Buffer): Buffer {
  return scryptSync(password, salt, 32, { N: 1024 });
}

function checkAttributes(text: string): void {
  if (text.length > 1000) throw invalid("CLAIMS_TOO_LARGE");
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch {
    throw invalid("INVALID_CLAIMS");
  }
  if (typeof claims !== "object" || claims === null || Array.isArray(claims)) throw invalid("INVALID_CLAIMS");
  const forbidden = reserved.find((name) => Object.hasOwn(claims, name));
  if (forbidden !== undefined) throw invalid(`FORBIDDEN_CLAIM : ${forbidden}`);
}
