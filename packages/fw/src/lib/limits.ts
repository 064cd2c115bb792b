const KiB = 1024;
const MiB = 1024 * KiB;

/** SPEC "Limits": uploads are kept in memory up to this many bytes a request, then in a temporary file. */
export const uploadMemoryBytes: number = 32 * MiB;

/** Bytes that the uploads of all requests together may hold in memory; beyond, they go to temporary files at once. */
export const uploadMemoryBytesTotal: number = 128 * MiB;

/** Bytes of a whole multipart body; larger uploads belong on signed URLs. */
export const multipartBytes: number = 1024 * MiB;

/** Parts of one multipart body. */
export const multipartParts = 1000;

/** Bytes of one part's header lines. */
export const multipartHeaderBytes: number = 16 * KiB;

/** Bytes of a form field's name. */
export const formNameBytes = 200;

/** Bytes of one text field of a form. */
export const formValueBytes: number = 1 * MiB;

/** Bytes of all text fields of a form together. */
export const formValuesBytes: number = 4 * MiB;

/** SPEC "Static site assets": seconds a fingerprinted file may be cached. */
export const fingerprintedMaxAge = 31_536_000;

/** Bytes of static files that a built service keeps in memory, a site. */
export const cachedAssetBytes: number = 16 * MiB;

/** Bytes of a JSON body. */
export const jsonBytes: number = 1 * MiB;

/** Objects and arrays inside each other in a JSON body. */
export const jsonDepth = 1000;

/** Bytes of a urlencoded form. */
export const formBytes: number = 1 * MiB;

/** Fields of a urlencoded form. */
export const formFields = 1000;

/** Parameters of a query string. */
export const queryParameters = 1000;

/** Bytes of a request's line and headers; beyond, 431. */
export const headerBytes: number = 16 * KiB;

/** Bytes of a body that nobody asked for and that is still read, so that the connection can serve the next request. */
export const unreadBytes: number = 64 * KiB;

/** Milliseconds a client may take for a request's headers. */
export const headersMs = 30_000;

/** Milliseconds after which a body must have come at `bodyBytesPerSecond` or more on average. */
export const bodyMs = 50_000;

/** Bytes a second under which a client that sends a body counts as stalled. */
export const bodyBytesPerSecond: number = 8 * KiB;

/** Milliseconds a client may leave a response unread. */
export const stalledMs = 55_000;

/** Milliseconds an idle connection is kept for the next request. */
export const keepAliveMs = 65_000;

/** Milliseconds between two looks at which clients are too slow. */
export const slowCheckMs = 5_000;

/** Bytes that are still taken from a client that is refused early, so that it comes to read the answer. */
export const lingerBytes: number = 2 * MiB;

/** Milliseconds a client that is refused early has to read the answer before the connection is cut. */
export const lingerMs = 1_000;

/** SPEC "Limits", Shutdown: milliseconds the platform allows from SIGTERM. */
export const shutdownMs = 10_000;

/** SPEC "Limits", Shutdown: the ceiling of the drain, in milliseconds. */
export const drainMs = 7_000;

/** SPEC "Limits", Shutdown: the floor of the final flush, in milliseconds. */
export const flushMs = 1_000;

/** SPEC "API endpoint": hops of the platform that append to X-Forwarded-For. */
export const platformHops = 1;

/** SPEC "Limits", Route.MaxAge: the shortest, in seconds. */
export const shortestMaxAge = 1;

/** SPEC "Limits", Route.MaxAge: the longest, one year in seconds. */
export const longestMaxAge = 31_536_000;

/** SPEC "Limits", Session lifetime: seconds from sign-in. */
export const sessionSeconds = 604_800;

/** SPEC "Limits", Domain: characters of the name. */
export const domainCharacters = 64;

/** SPEC "Limits": conditional filters that one function may assemble a query from. */
export const mostConditions = 4;

/** Bytes of a stored document with its indexed values. */
export const documentBytes: number = 1 * MiB;

/** Bytes of UTF-8 of a document's id. */
export const documentIdBytes = 1500;

/** Bytes of UTF-8 of a string that an index holds. */
export const indexedStringBytes = 1500;

/** Elements of an array of which each is indexed. */
export const indexedElements = 1000;

/** Objects and arrays inside each other in a stored document. */
export const documentDepth = 500;

/** Characters of the name of a kind of document or of a lease. */
export const kindCharacters = 200;

/** Documents of a query's page, and keys of one read of many. */
export const pageDocuments = 1000;

/** Combinations of values that the `in` filters of one query make. */
export const queryCombinations = 30;

/** Documents that one transaction writes. */
export const transactionWrites = 500;

/** Attempts of a transaction that meets conflicts. */
export const transactionAttempts = 12;

/** Milliseconds before the second attempt of a transaction, at most; twice as many before each further one. */
export const transactionBackoffMs = 20;

/** Milliseconds before an attempt of a transaction, at most. */
export const transactionBackoffCeilingMs = 1_000;

/** Milliseconds that a losing transaction waits for the others that lost to the same document. */
export const transactionTurnMs = 5_000;

/** Documents of a page of a query that names no limit. */
export const queryPage = 20;

/** Documents that \`all\` reads of a query that names no limit. */
export const mostDocuments = 10_000;
