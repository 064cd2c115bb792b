const KiB = 1024;
const MiB = 1024 * KiB;

/** Problems that the answer to a refused request lists. */
export const mostProblems = 100;

/** SPEC "Limits": uploads stay in memory up to this many bytes per request, then go to a temporary file. */
export const uploadMemoryBytes: number = 32 * MiB;

/** Bytes of a whole multipart body; larger uploads belong on signed URLs. */
export const multipartBytes: number = 1024 * MiB;

/** SPEC "Static site assets": seconds a fingerprinted file may be cached. */
export const fingerprintedMaxAge = 31_536_000;

/** Bytes of a JSON body. */
export const jsonBytes: number = 1 * MiB;

/** Objects and arrays inside each other in a JSON body. */
export const jsonDepth = 1000;

/** Bytes of a urlencoded form. */
export const formBytes: number = 1 * MiB;

/** Bytes of a request to sign in or out. */
export const signInBytes: number = 64 * KiB;

/** The number of bytes of an unwanted body to read and discard, so that the connection can be reused. */
export const unreadBytes: number = 64 * KiB;

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

/** SPEC "Limits", Domain: characters of the name. */
export const domainCharacters = 64;

/**
 * Milliseconds that a call of another service may go without an answer, or its bytes without moving, where nothing else
 * is set.
 */
export const remoteMs = 60_000;

/** Connections to one address of another service; calls beyond wait. */
export const remoteConnections = 256;

/** The keep-alive timeout of an idle connection to another service, in milliseconds; well below `keepAliveMs`. */
export const remoteIdleMs = 30_000;

/** Bytes of what one service sends another, or is answered by it, that is JSON or HTML. */
export const remoteBytes: number = 32 * MiB;

/** SPEC "Limits": conditional filters that one function may assemble a query from. */
export const mostConditions = 4;

/** SPEC "Limits", conditional query filters per function: composite indexes that a project has at most. */
export const compositeIndexes = 200;

/** Bytes of a stored document with its indexed values. */
export const documentBytes: number = 1 * MiB;

/** Bytes of UTF-8 of a string that an index holds. */
export const indexedStringBytes = 1500;

/** Elements of an array whose elements are indexed. */
export const indexedElements = 1000;

/** Objects and lists inside each other in a field of a stored document. */
export const documentDepth = 20;

/** Documents of a query's page, and keys of one read of many. */
export const pageDocuments = 1000;

/** Combinations of values that the `in` filters of one query make. */
export const queryCombinations = 30;

/** Milliseconds that a message can be delayed, 30 days. */
export const longestDelayMs = 2_592_000_000;

/** Bytes of UTF-8 of a message's JSON text. */
export const messageBytes: number = 256 * KiB;

/** SPEC "Limits", Cron Deadline: the shortest, in milliseconds. */
export const shortestCronDeadlineMs = 15_000;

/** SPEC "Limits", Cron Deadline: the longest, in milliseconds. */
export const longestCronDeadlineMs = 1_800_000;

/** SPEC "Limits", Delivery MaxAttempts: the fewest. */
export const fewestDeliveries = 5;

/** SPEC "Limits", Delivery MaxAttempts: the most. */
export const mostDeliveries = 100;

/** Milliseconds before the second delivery of a message, where no minBackoff is declared. */
export const minBackoffMs = 10_000;

/** Milliseconds between two deliveries of a message at most, where no maxBackoff is declared. */
export const maxBackoffMs = 600_000;

/** Milliseconds that a worker or a subscriber may take for one delivery. */
export const deliveryDeadlineMs = 600_000;

/** SPEC "Limits", Runner Attempts: how often a task that failed is tried again, at most. */
export const mostRetries = 10;

/** Deliveries that one handler gets at the same time on a laptop. */
export const deliveryConcurrency = 16;

/** SPEC "Limits", Session lifetime: milliseconds from sign-in, however the session is used. */
export const sessionMs = 604_800_000;

/** Characters of an account's name. */
export const accountNameCharacters = 256;

/** The same where Identity Platform keeps them: characters, its own limit. */
export const identityClaimsCharacters = 1_000;

/** Bytes of UTF-8 of a password. */
export const passwordBytes: number = 1 * KiB;

/** Passwords that are derived at the same time; others wait. */
export const passwordDerivations = 2;

/**
 * Passwords that wait to be derived; beyond, sign-ins and new accounts with a password are refused until some are done.
 */
export const passwordsWaiting = 64;

/** Objects of a page of a bucket's list. */
export const objectPage = 1000;

/** Milliseconds that a signed URL is good for, at most: 7 days, as in the cloud. */
export const longestSignedMs = 604_800_000;

/** Seconds for which a browser remembers that it may send signed requests from another origin. */
export const preflightMaxAge = 3_600;

/** Milliseconds that deliveries under way have to end when delivering stops; the others are given back. */
export const deliveryStopMs = 5_000;

/** The number of dead letters kept per consumer; the oldest are deleted. */
export const deadMessages = 10_000;

/** Dead messages of a page of a list that names no limit. */
export const deadPage = 100;

/** SPEC "Limits", Histogram buckets: the bound below which a sample is in the underflow. */
export const histogramLowest = 1;

/** SPEC "Limits", Metrics flush: milliseconds between two exports of what was counted. */
export const metricFlushMs = 60_000;

/** Approximate number of characters in a log line; the rest of a longer message or field is cut. */
export const logLineCharacters = 131_072;

/** SPEC "Limits", Alert Window Every: the shortest, in milliseconds. */
export const shortestWindowMs = 60_000;

/** SPEC "Limits", Alert Window Every: the longest, in milliseconds. */
export const longestWindowMs = 90_000_000;

/** SPEC "Limits", Alert Window Every: the longest For of a threshold, in milliseconds. */
export const longestForMs = 86_400_000;

/** SPEC "Limits", Histogram buckets: the upper bound of the last bucket that has one. */
export const histogramLargest = 262_144;

/** SPEC "Limits", Traffic Timeout: the shortest, in milliseconds. */
export const shortestTrafficTimeoutMs = 1_000;

/** Milliseconds that one answer may take, where no timeout and no profile says otherwise. */
export const trafficTimeoutMs = 300_000;

/** Mebibytes of memory that an instance has at least. */
export const leastMemoryMi = 128;

/** SPEC "Limits", `fw logs`: entries that are printed, at most. */
export const logEntries = 200;

/** SPEC "Limits", `fw logs`: the default window, in milliseconds. */
export const logWindowMs: number = 15 * 60_000;

/** Milliseconds that one attempt of a call of Google may take until its answer begins. */
export const cloudAttemptMs = 15_000;
