import { counted } from "../lib/counted.ts";

/** Messages that clients can see. Separate exports let a bundle contain only the messages it can send. */

export const badRequest = "bad request";
export const notFound = "not found";
export const methodNotAllowed = "method not allowed";
export const internal = "internal error";
export const internalWithId = (requestId: string): string => `internal error (request ${requestId})`;
export const signIn = "sign in to continue";
export const privateRoute = "this route is private";
export const scrapeToken = "to read these metrics, send FW_METRICS_TOKEN as a bearer token";
export const signInFields = "a sign-in must have exactly one of idToken, dev_user, or email and password";
export const crossSite = "this request is not allowed from another site";
export const foreignHost = (name: string): string =>
  `the dev server answers only to local names; to allow this one, start it with --allowed-host ${name || "<name>"}`;
export const notForVisitors = "this port is for requests between services; use the application's own address";
export const needsRole = (roles: readonly string[]): string => `this page needs the ${roles.join(" or ")} role`;
export const notMember = "you are not a member";
export const csrf = "CSRF token missing or invalid — forms need {{ csrf }}";
export const submitted = "this form was submitted before; reload the page to submit it again";
export const submitUnknown =
  "this form was submitted before, and its outcome is unknown; reload the page to submit it again";
export const invalidJSON = "body: invalid JSON";
export const deepJSON = "body: nested too deeply";
export const wantsJSON = "unsupported Content-Type: send application/json in UTF-8";
export const encodedBody = "unsupported Content-Encoding: send the body uncompressed";
export const wantsFields =
  "unsupported Content-Type: send application/json or application/x-www-form-urlencoded in UTF-8";
export const wantsForm = "unsupported Content-Type: send application/x-www-form-urlencoded or multipart/form-data";
export const wantsMultipart = "unsupported Content-Type: send multipart/form-data";
export const multipart = (why: string): string => `body: malformed multipart/form-data (${why})`;
export const formParts = (limit: number): string => `form: more than ${limit} parts`;
export const formName = (limit: number): string => `form: a field's name is longer than ${limit} bytes`;
export const formValue = (name: string, limit: number): string => `form ${name}: is longer than ${limit} bytes`;
export const formValues = (limit: number): string => `form: the text fields have more than ${limit} bytes in total`;
export const formEncoding = "form: invalid encoding";
export const formFields = (limit: number): string => `form: more than ${limit} fields`;
export const queryParameters = (limit: number): string => `query: more than ${limit} parameters`;
export const required = (where: string): string => `${where}: is required`;
export const isNot = (where: string, value: string, type: string): string =>
  `${where}: ${value} is not ${/^(int|object)/.test(type) ? "an" : "a"} ${type}`;
export const several = (where: string): string => `${where}: has several different values; send one`;
export const mustBeAbsent = (where: string): string => `${where}: must be absent`;
export const keyOf = (key: string, problem: string): string => `the key ${key} ${problem}`;
export const tooLong = (most: number): string => `must be at most ${counted(most, "character")}`;
export const tooShort = (least: number): string => `must be at least ${counted(least, "character")}`;
export const aboveMax = (most: number): string => `must be at most ${most}`;
export const belowMin = (least: number): string => `must be at least ${least}`;
export const tooMany = (most: number): string => `must have at most ${counted(most, "item")}`;
export const tooFew = (least: number): string => `must have at least ${counted(least, "item")}`;
export const notEmail = "must be an email address";
export const notOfPattern = (pattern: string): string => `must match ${pattern}`;
export const notURL = "must be a URL that begins with https:// or http://";
export const percentEncoding = (where: string): string => `${where}: is not valid percent-encoding`;
export const tooLarge = (limit: number): string => `body: larger than ${limit} bytes`;
export const headersTooLarge = "the request headers are too large";
export const tooSlow = "the request took too long to arrive";
export const wantsWebSocket = "this path is a WebSocket: send an upgrade request with Sec-WebSocket-Version: 13";
export const limited = (seconds: number): string => `too many requests: try again in ${counted(seconds, "second")}`;
export const tooManyConnections = "too many open connections; try again later";
export const tookTooLong = "the service took too long to answer";
export const indexFilling = "this list is being prepared after an update: try again in a moment";
export const entityId = "an id must have 1 to 1,500 bytes, and cannot begin with _fw or have the form __…__";
export const entityExists = "a document with this id already exists";
export const fieldTaken = (field: string): string => `this ${field} is already taken`;
export const documentTooLarge = (limit: number): string => `a document may have at most ${limit} bytes`;
export const documentShape = (depth: number): string =>
  `a document may have at most ${depth} levels of nesting, no list directly inside a list, and no field name that is empty or has the form __…__`;
export const indexedValue = (bytes: number, values: number): string =>
  `an indexed field may have at most ${bytes} bytes of text or ${values} values, and only dates of the years 1 to 9999`;
export const queryValues = (most: number): string => `a query may have at most ${most} combinations of values`;
export const tokenName = (characters: number): string =>
  `the name of an access token must have 1 to ${characters} characters`;
export const tokenAncestors = (most: number): string =>
  `this access token cannot create another: access tokens may create access tokens at most ${most} times in a row`;
export const tokenLifetime = "an access token must last at least 1 second, or never expire";
export const conflict = "another request changed it at the same time; try again";
export const cursor = "the cursor does not belong to this list; start from the first page";
export const notThePlatform = "only the platform may call this address";
export const objectKey =
  "a key must have 1 to 1,024 bytes and no control characters, and cannot be . or .. or begin with .well-known/acme-challenge/";
export const signedLifetime = "a signed URL can be valid for 1 second to 7 days";
export const signedURL = "this URL is invalid or has expired";
export const signedHeaders = "send this upload with the headers that came with its URL";
export const uploadType = (type: string): string => `this upload must be ${type}`;
export const uploadSize = (limit: number): string => `this upload is larger than ${limit} bytes`;
export const uploadPart = "Content-Range is not supported: send the whole upload in one request";
export const notAScript = "a stored object cannot be used as a script";
export const messageTooLarge = (limit: number): string => `a message may have at most ${limit} bytes`;
export const referredTo = (entity: string): string => `other documents refer to it: ${entity}`;
export const tooManyReferring = (most: number): string => `more than ${most} other documents refer to it`;
export const missingReferred = (field: string): string => `there is no document with this ${field}`;
export const searchWords = (words: number, characters: number): string =>
  `a search has at most ${words} words, and ${characters} characters of a language without spaces`;
export const queryOffset = (most: number): string => `the offset must be a whole number from 0 to ${most}`;
export const queryLimit = (most: number): string => `the limit must be a whole number from 1 to ${most}`;
export const emailTaken = "an account with that address already exists";
export const emailAddress = "that is not a valid email address";
export const accountName = (most: number): string =>
  `a name may have at most ${most} characters and no control characters`;
export const accountPassword = (most: number): string => `a password must have 1 to ${most} bytes and no NUL`;
export const refusedPassword = "the identity provider rejected that password; choose a stronger one";
export const accountClaims = (why: string): string => `the account keeps its roles: ${why}`;
export const wrongPassword = "that email and password do not match an account";
export const busy = "too many sign-ins are in progress; try again in a few seconds";
export const idToken = (why: string): string => `the ID token did not verify: ${why}`;
export const provider = (provider: string, declared: string): string =>
  `this token was minted by ${provider}, and this app declares ${declared} — the auth configuration decides which doors exist`;
export const expectation = "only Expect: 100-continue is supported";
