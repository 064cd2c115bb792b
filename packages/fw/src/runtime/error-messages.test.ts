import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Auth } from "../declare/auth.ts";
import type { ID, Search } from "../declare/binding.ts";
import { Bucket } from "../declare/bucket.ts";
import { Entity, transaction } from "../declare/entity.ts";
import { NotFound, StatusError } from "../declare/errors.ts";
import { RequireMember, RequireRole } from "../declare/policy.ts";
import { Limit } from "../declare/limit.ts";
import { Queue } from "../declare/queue.ts";
import { Role } from "../declare/role.ts";
import { Tenant } from "../declare/tenant.ts";
import { Worker } from "../declare/worker.ts";
import type { HeldLimits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";
import type * as shared from "../lib/limits.ts";
import { limitValues } from "../lib/testing/documented-limits.ts";
import type { Platform } from "../platform/contract.ts";
import { PlatformError, type PlatformErrorCode } from "../platform/errors.ts";
import type { Bundle } from "./bundle.ts";
import { bodyJSON, keyWithin, refuse, wrongAt } from "./decode/body.ts";
import { cookieText } from "./decode/header-cookie.ts";
import { queryPairs, queryText } from "./decode/query-string.ts";
import { required, toInt } from "./decode/scalars.ts";
import { withinLimits } from "./decode/limited.ts";
import { checkClaims, claimsTooLarge } from "../platform/account-fields.ts";
import { socketPlaces } from "./access/places.ts";
import { messages } from "./error-messages.ts";
import { scrapeEndpoint } from "./observe/metrics/scrape.ts";
import { apis, bundleOf, pages, start, type TestApp } from "./testing/app.ts";
import { destination, worker } from "./testing/background.ts";
import { exchange, parseAnswer, type RawAnswer } from "./testing/server.ts";
import { TestSessions } from "./testing/sessions.ts";
import type { Request } from "./request.ts";
import { CsrfTokens } from "./access/csrf-tokens.ts";
import type { Session } from "./auth/sessions.ts";
import { noteSubmission, submissionOf } from "./submit/submission.ts";
import { RequestContext } from "./request-context.ts";

type OwnLimit =
  | "accountClaimsBytes"
  | "formFields"
  | "formNameBytes"
  | "formValueBytes"
  | "formValuesBytes"
  | "headerBytes"
  | "multipartParts"
  | "queryParameters"
  | "tokenNameCharacters";
const limits = limitValues as typeof shared & Readonly<Record<OwnLimit, number>>;

const json = { "Content-Type": "application/json" };
const urlencoded = { "Content-Type": "application/x-www-form-urlencoded" };
const multipart = { "Content-Type": "multipart/form-data; boundary=b" };
const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fail = (error: Error) => (): never => {
  throw error;
};

const things = Entity<{ id: ID; title?: Search<string> }>("kept");
const entities = [
  {
    declaration: things as never,
    name: "kept",
    id: "id",
    indexed: [{ name: "@search2:title", many: true }],
    transient: [],
    indexes: [],
  },
] satisfies Bundle["entities"];

const photos = Bucket("photos");
const mails = Queue<string>("mails");
const teams = Tenant("teams", (_ctx, _user, _request: object): { readonly role: string } | undefined => undefined);
const signUps = Limit("sign-up", "10/h");
const grants: Readonly<Record<string, object>> = {
  put: { method: "PUT", bucket: "photos", key: "a", maxSize: 5, contentType: "image/*" },
  get: { method: "GET", bucket: "photos", key: "a" },
};
const size = { "x-goog-content-length-range": "0,5" };

/** A form token of the session, and the id of a submit with this token whose response was not stored. */
const sessions = new TestSessions();
const signedIn = { Cookie: sessions.signIn() };
const token = new CsrfTokens().issueFor((await sessions.find(signedIn.Cookie.slice("fw_session=".length))) as Session);
const header = (name: string): string | undefined => (name === "x-csrf-token" ? token : undefined);
const submit = { route: "POST /submitted", path: "/submitted", query: "", exchange: { header } };
await noteSubmission(submit as unknown as Request, undefined);
const storedSubmit = submissionOf(submit as unknown as Request)?.id;

/** Returns an operation that fails with this error of a platform. */
const refusing = (code: PlatformErrorCode) => async (): Promise<never> => {
  throw new PlatformError(code, "refused", "email");
};
const platform = {
  entities: {
    insert: refusing("exists"),
    get: async ({ id }: { id: string }) => ({ fields: id === storedSubmit ? { unstored: true } : { at: -1e9 } }),
    upsert: async ({ id }: { id: "large" | "shape" | "taken" | "indexed" }) =>
      refusing(({ large: "too-large", shape: "shape", taken: "taken", indexed: "indexed" } as const)[id])(),
    begin: refusing("conflict"),
    query: refusing("cursor"),
    count: refusing("combinations"),
    total: refusing("filling"),
  },
  clock: { now: () => 0, elapsed: () => 0, sleep: async () => {} },
  accounts: {
    create: ({ password }: { password?: string }) => refusing(password === undefined ? "exists" : "password")(),
    get: async () => ({ id: "u1", claims: {} }),
    setClaims: async () => checkClaims({ note: "a".repeat(limits.accountClaimsBytes) }),
    checkPassword: (email: string) => (email === "flood" ? refusing("busy")() : Promise.resolve(undefined)),
    verifyToken: async (token: string) =>
      token === "old" ? { refused: "it has expired" } : { account: { id: "u1" }, provider: "social" },
  },
  messages: { send: refusing("too-large") },
  objects: { find: refusing("key"), openGrant: async (token: string) => grants[token] },
  leases: { acquire: async () => ({ expires: new Date(1e6), release: async () => {} }) },
} as unknown as Platform;
const { users, tokens } = Auth({ password: true, tokens: true });
const session = "/_fw/api/session";
const signed = "/_fw/api/signed/";

const endpoints = [
  ...apis({
    "GET /id": (ctx) => things.put(ctx, { id: "" }),
    "GET /large": (ctx) => things.put(ctx, { id: "large" }),
    "GET /shape": (ctx) => things.put(ctx, { id: "shape" }),
    "GET /indexed": (ctx) => things.put(ctx, { id: "indexed" }),
    "GET /field-taken": (ctx) => things.put(ctx, { id: "taken" }),
    "GET /values": (ctx) => things.query().count(ctx),
    "GET /filling": (ctx) => things.query().sum(ctx, "size" as never),
    "GET /exists": (ctx) => things.create(ctx, { id: "a" }),
    "GET /conflict": (ctx) => transaction(ctx, async () => {}),
    "GET /cursor": (ctx) => things.query().page(ctx, "forged"),
    "GET /taken": (ctx) => users.create(ctx, { email: "ann@example.com" }),
    "GET /no-address": (ctx) => users.create(ctx, { email: "ann" }),
    "GET /no-name": (ctx) => users.create(ctx, { email: "ann@example.com", name: "\n" }),
    "GET /no-password": (ctx) => users.create(ctx, { email: "ann@example.com", password: "\0" }),
    "GET /weak-password": (ctx) => users.create(ctx, { email: "ann@example.com", password: "12345" }),
    "GET /token-name": (ctx) => tokens.create(ctx, { id: "u1", provider: "email" }, { name: "", expires: "1d" }),
    "GET /token-end": (ctx) => tokens.create(ctx, { id: "u1", provider: "email" }, { name: "a", expires: "0s" }),
    "GET /token-chain": (ctx) => {
      const authentication = { session: { token: { lineage: Array(9).fill("a") } } };
      Object.assign(RequestContext.requestOf(ctx) as object, { authentication });
      return tokens.create(ctx, { id: "u1", provider: "email" }, { name: "a", expires: "1d" });
    },
    "GET /claims": (ctx) => users.grant(ctx, "u1", Role("editor")),
    "GET /rate": (ctx) => signUps.take(ctx, "ann"),
    "GET /mail": (ctx) => mails.send(ctx, "a"),
    "GET /key": (ctx) => photos.exists(ctx, "."),
    "GET /lifetime": (ctx) => photos.signedGet(ctx, "a", "8d"),
    "GET /offset": (ctx) => things.query().offset(-1).all(ctx),
    "GET /limit": (ctx) => things.query().limit(0).all(ctx),
    "GET /search": (ctx) => things.query().search("a ".repeat(11)).all(ctx),
    "GET /socket": { kind: "socket" },
    "GET /crowd": () => {
      const places: (() => void)[] = [];
      try {
        for (;;) places.push(socketPlaces.take({ ip: "crowd", user: undefined }));
      } finally {
        for (const leave of places) leave();
      }
    },
    "GET /never": { package: 1, run: () => new Promise(() => {}) },
    "GET /referred-to": fail(new StatusError(409, messages.referredTo("orders"))),
    "GET /many-referring": fail(new StatusError(409, messages.tooManyReferring(400))),
    "GET /missing-referred": fail(new StatusError(409, messages.missingReferred("customer"))),
    "GET /api": fail(new Error("api")),
    "GET /gone": fail(NotFound()),
    "GET /signed": { signIn: true },
    "GET /editors": { signIn: true, allow: { declaration: RequireRole(Role("editor")), name: "CanEdit" } },
    "GET /members": { signIn: true, allow: { declaration: RequireMember(teams), name: "IsMember" } },
    "GET /private": { private: true },
    "GET /query": {
      decode: ({ query }) => toInt(required(queryText(queryPairs(query), "n", "query n"), "query n"), "query n"),
    },
    "GET /limited": {
      decode: ({ query }) => {
        const pairs = queryPairs(query);
        const limits = JSON.parse(queryText(pairs, "limits", "") ?? "") as HeldLimits;
        return withinLimits(JSON.parse(queryText(pairs, "v", "") ?? "") as unknown, "query v", limits);
      },
    },
    "GET /cookie": {
      varies: "Cookie",
      decode: ({ fields }) => cookieText(fields, "theme", "cookie theme"),
    },
    "POST /json": { carries: "json", decode: ({ body }) => bodyJSON(body, 0) },
    "POST /keys": { carries: "json", decode: () => keyWithin("long", { max: 3 }) ?? refuse() },
    "POST /absent": { carries: "json", decode: () => wrongAt(1, "gone", "never") ?? refuse() },
    "POST /form": { carries: "form" },
    "POST /upload": { carries: "multipart" },
  }),
  ...pages({ "POST /submitted": { once: true }, "POST /interrupted": { once: true } }),
  ...pages({ "GET /page": fail(new Error("page")), "POST /page": () => undefined }),
];
const whole = bundleOf(endpoints);
const bundle: Bundle = {
  ...whole,
  packages: [...whole.packages, { name: "impatient", service: "impatient", timeout: 20 }],
  entities,
  buckets: [{ declaration: photos, name: "photos" }],
  tenants: [{ declaration: teams, name: "teams", field: "team" }],
  destinations: [destination(mails)],
  consumers: [worker(Worker(mails, () => {}))],
  auth: { social: false, password: true, roles: ["editor"], tokens: true },
};

interface Case {
  readonly request: string;
  readonly status: number;
  /** The message that clients see. */
  readonly says: string | RegExp;
  /** The message in docs/errors.md. */
  readonly documented: string;
  /** True if clients reach the application only through another process. */
  readonly behindFront?: boolean;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return message("GET", path, headers, "");
}

function post(path: string, headers: Readonly<Record<string, string>>, body: string): string {
  return message("POST", path, { "Content-Length": String(Buffer.byteLength(body)), ...headers }, body);
}

/** Returns an upload to a signed URL for pictures of at most 5 bytes. */
function put(headers: Readonly<Record<string, string>>, body: string): string {
  return message("PUT", `${signed}put`, { "Content-Length": String(Buffer.byteLength(body)), ...headers }, body);
}

function message(method: string, path: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({ Host: "x", Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function says(status: number, text: string, request: string): Case {
  return { status, says: text, documented: text, request };
}

/** Returns the case of a query value outside its limits. */
function misses(limits: HeldLimits, value: unknown, sentence: string): Case {
  const asked = new URLSearchParams({ limits: JSON.stringify(limits), v: JSON.stringify(value) });
  const documented = `query <name>: ${sentence.replace(/\d+/, "<n>").replace("[a-z]+", "<pattern>")}`;
  return { ...says(400, `query v: ${sentence}`, get(`/limited?${asked.toString()}`)), documented };
}

const { formBytes, formFields, formNameBytes, formValueBytes, formValuesBytes, multipartParts, queryParameters } =
  limits;
const nested = limits.jsonDepth + 2;
const cases: Readonly<Record<keyof typeof messages, Case>> = {
  badRequest: says(400, messages.badRequest, get("/%zz")),
  notFound: says(404, messages.notFound, get("/gone")),
  methodNotAllowed: says(405, messages.methodNotAllowed, message("DELETE", "/api", {}, "")),
  internal: says(500, messages.internal, get("/api")),
  internalWithId: {
    request: get("/page"),
    status: 500,
    says: /^internal error \(request [0-9a-f]{16}\)$/,
    documented: messages.internalWithId("<id>"),
  },
  signIn: says(401, messages.signIn, get("/signed")),
  privateRoute: says(403, messages.privateRoute, get("/private")),
  scrapeToken: says(401, messages.scrapeToken, get("/_fw/z/metrics")),
  crossSite: says(403, messages.crossSite, post("/json", { ...signedIn, Origin: "https://evil.example" }, "{}")),
  foreignHost: {
    ...says(403, messages.foreignHost("evil.example"), get("/api", { Host: "evil.example" })),
    documented: messages.foreignHost("<name>"),
  },
  notForVisitors: { ...says(403, messages.notForVisitors, get("/api")), behindFront: true },
  needsRole: {
    ...says(403, messages.needsRole(["editor"]), get("/editors", signedIn)),
    documented: messages.needsRole(["<role>"]),
  },
  notMember: says(403, messages.notMember, get("/members", signedIn)),
  csrf: says(403, messages.csrf, post("/page", urlencoded, "a=b")),
  submitted: says(409, messages.submitted, post("/submitted", { ...signedIn, "X-CSRF-Token": token }, "")),
  submitUnknown: says(409, messages.submitUnknown, post("/interrupted", { ...signedIn, "X-CSRF-Token": token }, "")),
  invalidJSON: says(400, messages.invalidJSON, post("/json", json, "{")),
  deepJSON: says(400, messages.deepJSON, post("/json", json, "[".repeat(nested) + "]".repeat(nested))),
  wantsJSON: says(415, messages.wantsJSON, post("/json", urlencoded, "a=b")),
  encodedBody: says(415, messages.encodedBody, post("/json", { ...json, "Content-Encoding": "gzip" }, "{}")),
  wantsForm: says(415, messages.wantsForm, post("/form", json, "{}")),
  wantsMultipart: says(415, messages.wantsMultipart, post("/upload", urlencoded, "a=b")),
  multipart: {
    ...says(400, messages.multipart("it ends before its last boundary"), post("/upload", multipart, part("a", "b"))),
    documented: messages.multipart("<why>"),
  },
  formParts: says(
    413,
    messages.formParts(multipartParts),
    post("/upload", multipart, part("a", "").repeat(multipartParts + 1)),
  ),
  formName: says(
    400,
    messages.formName(formNameBytes),
    post("/upload", multipart, part("n".repeat(formNameBytes + 1), "")),
  ),
  formValue: {
    ...says(
      413,
      messages.formValue("a", formValueBytes),
      post("/upload", multipart, part("a", "x".repeat(formValueBytes + 1))),
    ),
    documented: messages.formValue("<name>", formValueBytes),
  },
  formValues: says(
    413,
    messages.formValues(formValuesBytes),
    post("/upload", multipart, part("a", "x".repeat(formValueBytes)).repeat(5)),
  ),
  formEncoding: says(400, messages.formEncoding, post("/form", urlencoded, "a=%zz")),
  formFields: says(400, messages.formFields(formFields), post("/form", urlencoded, "a&".repeat(formFields + 1))),
  queryParameters: says(
    400,
    messages.queryParameters(queryParameters),
    get(`/query?${"a&".repeat(queryParameters + 1)}`),
  ),
  required: {
    ...says(400, messages.required("query n"), get("/query")),
    documented: messages.required("query <name>"),
  },
  isNot: {
    ...says(400, messages.isNot("query n", "x", "int"), get("/query?n=x")),
    documented: messages.isNot("query <name>", "<value>", "<type>"),
  },
  several: {
    ...says(400, messages.several("cookie theme"), get("/cookie", { Cookie: "theme=a; theme=b" })),
    documented: messages.several("cookie <name>"),
  },
  mustBeAbsent: {
    ...says(400, messages.mustBeAbsent("body gone"), post("/absent", json, '{"gone":1}')),
    documented: messages.mustBeAbsent("body <path>"),
  },
  keyOf: {
    ...says(400, `body: ${messages.keyOf('"long"', messages.tooLong(3))}`, post("/keys", json, "{}")),
    documented: `body <path>: ${messages.keyOf("<key>", "must be at most <n> characters")}`,
  },
  tooLong: misses({ max: 3 }, "long", messages.tooLong(3)),
  tooShort: misses({ min: 5 }, "long", messages.tooShort(5)),
  aboveMax: misses({ max: 3 }, 4, messages.aboveMax(3)),
  belowMin: misses({ min: 5 }, 4, messages.belowMin(5)),
  tooMany: misses({ max: 3 }, [1, 2, 3, 4], messages.tooMany(3)),
  tooFew: misses({ min: 5 }, [1], messages.tooFew(5)),
  notEmail: misses({ format: "email" }, "ann", messages.notEmail),
  notOfPattern: misses({ pattern: knownPattern("[a-z]+") }, "ANN", messages.notOfPattern("[a-z]+")),
  notURL: misses({ format: "url" }, "ann", messages.notURL),
  percentEncoding: {
    ...says(400, messages.percentEncoding("query n"), get("/query?n=%zz")),
    documented: messages.percentEncoding("query <name>"),
  },
  tooLarge: {
    ...says(413, messages.tooLarge(formBytes), post("/form", urlencoded, "a".repeat(formBytes + 1))),
    documented: messages.tooLarge(0).replace("0", "<n>"),
  },
  headersTooLarge: says(431, messages.headersTooLarge, get("/api", { X: "x".repeat(limits.headerBytes) })),
  tooSlow: says(408, messages.tooSlow, "GET / HTTP/1.1\r\nX: "),
  wantsWebSocket: says(426, messages.wantsWebSocket, get("/socket")),
  tooManyConnections: says(429, messages.tooManyConnections, get("/crowd")),
  tookTooLong: says(504, messages.tookTooLong, get("/never")),
  indexFilling: says(503, messages.indexFilling, get("/filling")),
  entityId: says(400, messages.entityId, get("/id")),
  entityExists: says(409, messages.entityExists, get("/exists")),
  fieldTaken: {
    ...says(409, messages.fieldTaken("email"), get("/field-taken")),
    documented: messages.fieldTaken("<field>"),
  },
  documentTooLarge: says(413, messages.documentTooLarge(limits.documentBytes), get("/large")),
  documentShape: says(400, messages.documentShape(limits.documentDepth), get("/shape")),
  indexedValue: says(400, messages.indexedValue(limits.indexedStringBytes, limits.indexedElements), get("/indexed")),
  queryValues: says(400, messages.queryValues(limits.queryCombinations), get("/values")),
  tokenName: says(400, messages.tokenName(limits.tokenNameCharacters), get("/token-name")),
  tokenAncestors: says(403, messages.tokenAncestors(8), get("/token-chain")),
  tokenLifetime: says(400, messages.tokenLifetime, get("/token-end")),
  // An operation that loses too many conflicts gets the same refusal.
  limited: {
    ...says(429, messages.limited(1), get("/rate")),
    documented: messages.limited(0).replace("0", "<n>"),
  },
  conflict: says(409, messages.conflict, get("/conflict")),
  cursor: says(400, messages.cursor, get("/cursor")),
  referredTo: {
    ...says(409, messages.referredTo("orders"), get("/referred-to")),
    documented: messages.referredTo("<entity>"),
  },
  tooManyReferring: says(409, messages.tooManyReferring(400), get("/many-referring")),
  missingReferred: {
    ...says(409, messages.missingReferred("customer"), get("/missing-referred")),
    documented: messages.missingReferred("<field>"),
  },
  searchWords: says(400, messages.searchWords(10, 50), get("/search")),
  queryOffset: says(400, messages.queryOffset(1000), get("/offset")),
  queryLimit: says(400, messages.queryLimit(limits.pageDocuments), get("/limit")),
  messageTooLarge: says(413, messages.messageTooLarge(limits.messageBytes), get("/mail")),
  notThePlatform: says(403, messages.notThePlatform, post("/_fw/api/push", json, "{}")),
  emailTaken: says(409, messages.emailTaken, get("/taken")),
  emailAddress: says(400, messages.emailAddress, get("/no-address")),
  accountName: says(400, messages.accountName(limits.accountNameCharacters), get("/no-name")),
  accountPassword: says(400, messages.accountPassword(limits.passwordBytes), get("/no-password")),
  refusedPassword: says(400, messages.refusedPassword, get("/weak-password")),
  accountClaims: says(400, messages.accountClaims(claimsTooLarge(limits.accountClaimsBytes)), get("/claims")),
  signInFields: says(400, messages.signInFields, post(session, urlencoded, "")),
  wantsFields: says(415, messages.wantsFields, post(session, multipart, "--b--")),
  wrongPassword: says(401, messages.wrongPassword, post(session, urlencoded, "email=a&password=b")),
  busy: says(503, messages.busy, post(session, urlencoded, "email=flood&password=b")),
  idToken: {
    ...says(401, messages.idToken("it has expired"), post(session, urlencoded, "idToken=old")),
    documented: messages.idToken("<why>"),
  },
  provider: {
    ...says(401, messages.idToken(messages.provider("social", "email")), post(session, urlencoded, "idToken=new")),
    documented: messages.idToken(messages.provider("<provider>", "<declared providers>")),
  },
  objectKey: says(400, messages.objectKey, get("/key")),
  signedLifetime: says(400, messages.signedLifetime, get("/lifetime")),
  signedURL: says(403, messages.signedURL, get(`${signed}edited`)),
  signedHeaders: says(403, messages.signedHeaders, put({ "Content-Type": "image/png" }, "12345")),
  uploadType: {
    ...says(415, messages.uploadType("image/*"), put({ ...size, "Content-Type": "text/html" }, "12345")),
    documented: messages.uploadType("<type>"),
  },
  uploadSize: {
    ...says(413, messages.uploadSize(5), put({ ...size, "Content-Type": "image/png" }, "123456")),
    documented: messages.uploadSize(0).replace("0", "<n>"),
  },
  uploadPart: says(
    400,
    messages.uploadPart,
    put({ ...size, "Content-Type": "image/png", "Content-Range": "bytes 0-4/9" }, "12345"),
  ),
  notAScript: says(403, messages.notAScript, get(`${signed}get`, { "Sec-Fetch-Dest": "script" })),
  expectation: says(417, messages.expectation, post("/json", { ...json, Expect: "magic" }, "")),
};

const unscraped = (): never => {
  throw new Error("nobody brings the token");
};

let app: TestApp;
let behindFront: TestApp;
beforeAll(async () => {
  const admission = { calls: () => false };
  behindFront = await start(bundle, { platform, sessions, admission });
  app = await start(
    bundle,
    { platform, sessions, isOwnHost: (host) => host !== "evil.example", injected: scrapeEndpoint(unscraped, "token") },
    // Longer than any other request takes on a busy machine.
    { headersMs: 1_000, slowCheckMs: 30 },
  );
});
afterAll(() => Promise.all([app.close(), behindFront.close()]));

test.each(Object.entries(cases))(
  "a visitor reads messages.%s",
  async (_, { request, status, says: sentence, ...at }) => {
    const answer = parseAnswer(await exchange((at.behindFront ? behindFront : app).port, request));
    expect(answer.status).toBe(status);
    if (typeof sentence === "string") expect(sentenceOf(answer)).toBe(sentence);
    else expect(sentenceOf(answer)).toMatch(sentence);
  },
);

test("docs/errors.md lists every sentence with its status", () => {
  const page = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");
  const rows = Object.values(cases).map(({ status, documented }) => `| ${status} | \`${documented}\` |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

/** Returns the text of a refusal, or the `error` of a JSON refusal, which may contain nothing else but `details`. */
function sentenceOf({ headers, body }: RawAnswer): string {
  const text = Buffer.from(body, "latin1").toString();
  if (headers.get("content-type") !== "application/json") return text;
  const { error, details: _, ...more } = JSON.parse(text) as { error: string; details?: unknown };
  expect(more).toEqual({});
  return error;
}
