import { counted } from "../lib/counted.ts";

/** Every message that clients can see. Separate exports let a bundle contain only those it can send. */

export const badRequest = "bad request";
export const notFound = "not found";
export const methodNotAllowed = "method not allowed";
export const internal = "internal error";
export const internalWithId = (requestId: string): string => `internal error (request ${requestId})`;
export const signIn = "sign in to continue";
export const privateRoute = "this route is private";
export const scrapeToken = "these metrics are for those who bring their token";
export const signInFields = "a sign-in has one of idToken, dev_user, or email and password";
export const crossSite = "this cannot be done from another site";
export const foreignHost = (name: string): string =>
  `the dev server answers to local names only; start it with --allowed-host ${name || "<name>"} to have it answer to that one`;
export const notForVisitors =
  "this port takes requests of the application only; visitors use the one that fw dev names";
export const needsRole = (roles: readonly string[]): string => `this page needs the ${roles.join(" or ")} role`;
export const csrf = "CSRF token missing or invalid — forms need {{ csrf }}";
export const invalidJSON = "body: invalid JSON";
export const deepJSON = "body: nested too deep";
export const wantsJSON = "this endpoint takes application/json in UTF-8";
export const encodedBody = "this endpoint takes bodies as they are, without a Content-Encoding";
export const wantsFields = "this endpoint takes application/json or application/x-www-form-urlencoded in UTF-8";
export const wantsForm = "this endpoint takes application/x-www-form-urlencoded or multipart/form-data";
export const wantsMultipart = "this endpoint takes multipart/form-data";
export const multipart = (why: string): string => `body: malformed multipart/form-data (${why})`;
export const formParts = (limit: number): string => `form: more than ${limit} parts`;
export const formName = (limit: number): string => `form: a field's name is longer than ${limit} bytes`;
export const formValue = (name: string, limit: number): string => `form ${name}: is longer than ${limit} bytes`;
export const formValues = (limit: number): string => `form: the text fields are longer than ${limit} bytes together`;
export const formEncoding = "form: invalid encoding";
export const formFields = (limit: number): string => `form: more than ${limit} fields`;
export const queryParameters = (limit: number): string => `query: more than ${limit} parameters`;
export const required = (where: string): string => `${where}: is required`;
export const isNot = (where: string, value: string, type: string): string =>
  `${where}: ${value} is not ${/^(int|object)/.test(type) ? "an" : "a"} ${type}`;
export const several = (where: string): string => `${where}: is given several times, with different values`;
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
export const headersTooLarge = "the headers are too large";
export const tooSlow = "the request took too long to arrive";
export const wantsWebSocket = "this is a WebSocket: ask for one, of version 13";
export const tooManyConnections = "too many connections are open";
export const tookTooLong = "the answer took too long";
export const entityId = "an id is 1 to 1,500 bytes, neither __…__ nor _fw…";
export const entityExists = "there is one with this id already";
export const fieldTaken = (field: string): string => `there is one with this ${field} already`;
export const documentTooLarge = (limit: number): string => `a document is at most ${limit} bytes`;
export const documentShape = (depth: number): string =>
  `what is kept is nested at most ${depth} levels, without a list inside a list or a name that is empty or of the form __…__`;
export const indexedValue = (bytes: number, values: number): string =>
  `a field to search by has at most ${bytes} bytes of text, at most ${values} values, and dates of the years 1 to 9999`;
export const queryValues = (most: number): string => `a search takes at most ${most} values`;
export const tokenName = (characters: number): string => `the name of an access token is 1 to ${characters} characters`;
export const tokenAncestors = (most: number): string =>
  `access tokens make further access tokens ${most} times in a row at most`;
export const tokenLifetime = "an access token works for a second or longer, or never ends";
export const conflict = "somebody else changed it at the same time; try again";
export const cursor = "the cursor is not one of this list";
export const notThePlatform = "this address takes calls of the platform only";
export const objectKey =
  "a key is 1 to 1,024 bytes without control characters, neither . nor .., and does not begin with .well-known/acme-challenge/";
export const signedLifetime = "a signed URL is good for 1 second to 7 days";
export const signedURL = "this URL is not valid, or no longer";
export const signedHeaders = "this upload must carry the headers that came with its URL";
export const uploadType = (type: string): string => `this upload must be ${type}`;
export const uploadSize = (limit: number): string => `this upload is larger than ${limit} bytes`;
export const uploadPart = "an upload is sent whole, not in parts";
export const notAScript = "an object is not run as a script";
export const messageTooLarge = (limit: number): string => `a message is at most ${limit} bytes`;
export const queryLimit = (most: number): string => `the limit is a whole number from 1 to ${most}`;
export const emailTaken = "that address has an account already";
export const emailAddress = "that is not an email address";
export const accountName = (most: number): string =>
  `a name has at most ${most} characters, none of them a control character`;
export const accountPassword = (most: number): string => `a password has 1 to ${most} bytes, none of them NUL`;
export const refusedPassword = "the identity provider does not take that password; choose a longer one";
export const accountClaims = (why: string): string => `the roles of an account stay what they are: ${why}`;
export const wrongPassword = "that email and password do not match an account";
export const busy = "too many sign-ins are under way; try again in a few seconds";
export const idToken = (why: string): string => `the ID token did not verify: ${why}`;
export const provider = (provider: string, declared: string): string =>
  `this token was minted by ${provider}, and this app declares ${declared} — the auth configuration decides which doors exist`;
export const expectation = "only Expect: 100-continue is supported";
