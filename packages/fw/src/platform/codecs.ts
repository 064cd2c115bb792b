import { isRecord } from "../lib/record-in.ts";
import type { Account, AccountChange, AccountFields, AccountPage, Claims, VerifiedToken } from "./accounts.ts";
import { checked, date, finite, flag, list, number, object, oneOf, optional, text, type Codec } from "../lib/codec.ts";
import type {
  ConditionalOptions,
  Document,
  Fence,
  Filter,
  Key,
  Lease,
  Order,
  Page,
  Query,
  Total,
  TransactionOptions,
  WriteOptions,
} from "./contract.ts";
import type { Destination, OutgoingMessage } from "./messages.ts";
import type { ObjectGrant, ObjectFacts, ObjectPage, PutOptions, SignedRequest } from "./objects.ts";
import type { Fields, Scalar } from "./values.ts";

/* Codecs for the types of the contract. */

export const key: Codec<Key> = object<Key>({ kind: text, id: text });
export const fields: Codec<Fields> = checked("an object", isRecord);
export const writeOptions: Codec<WriteOptions> = object<WriteOptions>({ expires: optional(date) });
export const conditionalOptions: Codec<ConditionalOptions> = object<ConditionalOptions>({ version: optional(text) });
export const updateOptions: Codec<WriteOptions & ConditionalOptions> = object<WriteOptions & ConditionalOptions>({
  expires: optional(date),
  version: optional(text),
});
export const document: Codec<Document> = object<Document>({
  id: text,
  version: text,
  fields,
  expires: optional(date),
});
export const page: Codec<Page> = object<Page>({ documents: list(document), next: optional(text) });

/** A codec for compared values. Accepts any value, because the store validates them. */
const comparedValue: Codec<Scalar> = checked("a value", () => true);
const inFilter = object<Extract<Filter, { op: "in" }>>({ property: text, op: oneOf("in"), value: list(comparedValue) });
const valueFilter = object<Exclude<Filter, { op: "in" }>>({
  property: text,
  op: oneOf("==", "<", "<=", ">", ">="),
  value: comparedValue,
});
const filter: Codec<Filter> = {
  write: (value) => (value.op === "in" ? inFilter.write(value) : valueFilter.write(value)),
  read: (value, at) => (isRecord(value) && value["op"] === "in" ? inFilter : valueFilter).read(value, at),
};
const order = object<Order>({ property: text, direction: oneOf("asc", "desc") });
const countMembers = { kind: text, filters: list(filter), orders: list(order) };
export const countQuery: Codec<Omit<Query, "limit" | "after">> = object<Omit<Query, "limit" | "after">>(countMembers);
export const total: Codec<Total> = object<Total>({
  sum: checked("a number", (value) => typeof value === "number" || typeof value === "bigint"),
  average: optional(number),
});
export const query: Codec<Query> = object<Query>({ ...countMembers, limit: number, after: optional(text) });

export const fence: Codec<Fence> = object<Fence>({ name: text, token: finite });
export const transactionOptions: Codec<TransactionOptions> = object<TransactionOptions>({ fence: optional(fence) });
/** A lease as plain data. */
export type HeldLease = Pick<Lease, "name" | "token" | "expires">;
export const heldLease: Codec<HeldLease> = object<HeldLease>({ name: text, token: finite, expires: date });

export const destination: Codec<Destination> = object<Destination>({
  kind: oneOf("queue", "topic", "event", "job"),
  name: text,
});
export const outgoing: Codec<OutgoingMessage> = object<OutgoingMessage>({
  body: text,
  delay: optional(number),
  traceparent: optional(text),
});

export const claims: Codec<Claims> = checked("a JSON object", (value) => isRecord(value) && isClaim(value));
export const accountFields: Codec<AccountFields> = object<AccountFields>({
  email: text,
  name: text,
  emailVerified: flag,
  claims,
  password: optional(text),
  id: optional(text),
});
export const accountChange: Codec<AccountChange> = object<AccountChange>({
  password: optional(text),
  emailVerified: optional(flag),
});
export const account: Codec<Account> = object<Account>({
  id: text,
  email: text,
  name: text,
  emailVerified: flag,
  disabled: flag,
  hasPassword: flag,
  passwordVersion: optional(text),
  claims,
  created: date,
});
export const accountPage: Codec<AccountPage> = object<AccountPage>({ accounts: list(account), next: optional(text) });
const verifiedAccount = object<VerifiedToken>({ account, provider: text });
const refusedToken = object<{ readonly refused: string }>({ refused: text });
export const verifiedToken: Codec<VerifiedToken | { readonly refused: string }> = {
  write: (value) => ("refused" in value ? refusedToken.write(value) : verifiedAccount.write(value)),
  read: (value, at) => (isRecord(value) && "refused" in value ? refusedToken : verifiedAccount).read(value, at),
};

const facts = { key: text, size: number, contentType: text, updated: date, etag: text };
export const objectFacts: Codec<ObjectFacts> = object<ObjectFacts>(facts);
/** An opened object and the handle for reading its bytes. */
export type OpenedObject = ObjectFacts & { readonly handle: string };
export const openedObject: Codec<OpenedObject> = object<OpenedObject>({ ...facts, handle: text });
export const putOptions: Codec<PutOptions> = object<Omit<PutOptions, "signal">>({
  contentType: text,
  maxSize: optional(number),
});
interface ListOptions {
  readonly after?: string;
  readonly limit: number;
}
export const listOptions: Codec<ListOptions> = object<ListOptions>({
  after: optional(text),
  limit: number,
});
export const objectPage: Codec<ObjectPage> = object<ObjectPage>({ objects: list(objectFacts), next: optional(text) });
export const grant: Codec<ObjectGrant> = object<ObjectGrant>({
  bucket: text,
  key: text,
  method: oneOf("GET", "PUT"),
  expires: date,
  maxSize: optional(number),
  contentType: optional(text),
});
export const signedRequest: Codec<SignedRequest> = object<SignedRequest>({
  url: text,
  headers: checked<SignedRequest["headers"]>("an object", isRecord),
});

function isClaim(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isClaim);
  if (isRecord(value)) return Object.values(value).every(isClaim);
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
