const KiB = 1024;
const MiB = 1024 * KiB;

/** The maximum number of problems that the response to a rejected request lists. */
export const mostProblems = 100;

/** SPEC "Limits": bytes of uploads that a request holds in memory; larger ones go to a temporary file. */
export const uploadMemoryBytes: number = 32 * MiB;

/** Bytes of a whole multipart body. Use signed URLs for larger uploads. */
export const multipartBytes: number = 1024 * MiB;

/** SPEC "Static site assets": seconds for which a fingerprinted file may be cached. */
export const fingerprintedMaxAge = 31_536_000;

/** Bytes of a JSON body. */
export const jsonBytes: number = 1 * MiB;

/** The maximum nesting depth of a JSON body. */
export const jsonDepth = 1000;

/** Bytes of a urlencoded form. */
export const formBytes: number = 1 * MiB;

/** Bytes of a sign-in or sign-out request. */
export const signInBytes: number = 64 * KiB;

/** Bytes of an unwanted body that are read and discarded so that the connection can be reused. */
export const unreadBytes: number = 64 * KiB;

/** SPEC "Limits", Shutdown: milliseconds that the platform allows a service after SIGTERM. */
export const shutdownMs = 10_000;

/** SPEC "Limits", Shutdown: the maximum duration of the drain of requests, in milliseconds. */
export const drainMs = 7_000;

/** SPEC "Limits", Shutdown: the minimum time for the final flush, in milliseconds. */
export const flushMs = 1_000;

/** SPEC "API endpoint": the number of platform proxies that append to X-Forwarded-For. */
export const platformHops = 1;

/** SPEC "Limits", Route.MaxAge: the shortest maxAge of a route, in seconds. */
export const shortestMaxAge = 1;

/** SPEC "Limits", Route.MaxAge: the longest maxAge of a route, one year in seconds. */
export const longestMaxAge = 31_536_000;

/** SPEC "Limits", Domain: characters in the name of a domain. */
export const domainCharacters = 64;

/** Default milliseconds that a call to another service waits for a response, or for progress of its bytes. */
export const remoteMs = 60_000;

/** Connections to one address of another service; further calls wait. */
export const remoteConnections = 256;

/** Keep-alive timeout of an idle connection to another service, in milliseconds; well below `keepAliveMs`. */
export const remoteIdleMs = 30_000;

/** Bytes of JSON or HTML in a call between services, or in its response. */
export const remoteBytes: number = 32 * MiB;

/** SPEC "Limits": conditional filters of a query. */
export const mostConditions = 4;

/** Conditional filters of a query that starts with `query({ conditions: 8 })`. */
export const mostDeclaredConditions = 8;

/** SPEC "Limits", conditional query filters per function: the maximum number of composite indexes in a project. */
export const compositeIndexes = 200;

/** Values of a field for which one query can count documents. */
export const countedValues = 30;

/** Bytes of a stored document, including its indexed values. */
export const documentBytes: number = 1 * MiB;

/** UTF-8 bytes in an indexed string. */
export const indexedStringBytes = 1500;

/** Elements in an array whose elements are indexed. */
export const indexedElements = 1000;

/** The maximum nesting depth of a field in a stored document. */
export const documentDepth = 20;

/** Documents in a page of a query, and keys in a batch read. */
export const pageDocuments = 1000;

/** Combinations of values that the `in` filters of one query produce. */
export const queryCombinations = 30;

/** Milliseconds by which a message can be delayed: 30 days. */
export const longestDelayMs = 2_592_000_000;

/** UTF-8 bytes in a message's JSON text. */
export const messageBytes: number = 256 * KiB;

/** SPEC "Limits", Cron Deadline: the shortest deadline of a cron, in milliseconds. */
export const shortestCronDeadlineMs = 15_000;

/** SPEC "Limits", Cron Deadline: the longest deadline of a cron, in milliseconds. */
export const longestCronDeadlineMs = 1_800_000;

/** SPEC "Limits", Delivery MaxAttempts: the lowest maxAttempts of deliveries. */
export const fewestDeliveries = 5;

/** SPEC "Limits", Delivery MaxAttempts: the highest maxAttempts of deliveries. */
export const mostDeliveries = 100;

/** Default delay before the second delivery of a message, in milliseconds. */
export const minBackoffMs = 10_000;

/** Default maximum delay between two deliveries of a message, in milliseconds. */
export const maxBackoffMs = 600_000;

/** Default time that a worker or subscriber may take for one delivery, in milliseconds. */
export const deliveryDeadlineMs = 600_000;

/** The longest timeout of a worker, in milliseconds: Cloud Tasks waits no longer for a response. */
export const longestWorkerTimeoutMs = 1_800_000;

/** SPEC "Limits", Runner Attempts: the maximum number of retries of a failed task. */
export const mostRetries = 10;

/** Concurrent deliveries to one handler on a laptop. */
export const deliveryConcurrency = 16;

/** SPEC "Limits", Session lifetime: milliseconds from the sign-in, whether or not the session is used. */
export const sessionMs = 604_800_000;

/** Characters in an account's name. */
export const accountNameCharacters = 256;

/** Characters in an account's claims in Identity Platform, which sets this limit. */
export const identityClaimsCharacters = 1_000;

/** UTF-8 bytes in a password. */
export const passwordBytes: number = 1 * KiB;

/** Passwords that are hashed concurrently; others wait. */
export const passwordDerivations = 2;

/**
 * Passwords that wait to be hashed. Beyond that, sign-ins and new accounts with a password are rejected until some have
 * been hashed.
 */
export const passwordsWaiting = 64;

/** Objects in a page of a bucket's list. */
export const objectPage = 1000;

/** The maximum lifetime of a signed URL in milliseconds: 7 days, as in the cloud. */
export const longestSignedMs = 604_800_000;

/** Seconds for which a browser may cache the response to a CORS preflight. */
export const preflightMaxAge = 3_600;

/** Milliseconds for deliveries in progress to finish when a dispatcher stops; the others are delivered again. */
export const deliveryStopMs = 5_000;

/** Dead letters retained per consumer. Beyond that, the oldest are deleted. */
export const deadMessages = 10_000;

/** Dead messages in a list for which no limit is given. */
export const deadPage = 100;

/** SPEC "Limits", Histogram buckets: the bound below which a sample counts as underflow. */
export const histogramLowest = 1;

/** SPEC "Limits", Metrics flush: the interval between exports of metrics, in milliseconds. */
export const metricFlushMs = 60_000;

/** Approximate number of characters in a log line. Longer messages and fields are truncated. */
export const logLineCharacters = 131_072;

/** SPEC "Limits", Alert Window Every: the shortest window of an alert, in milliseconds. */
export const shortestWindowMs = 60_000;

/** SPEC "Limits", Alert Window Every: the longest window of an alert, in milliseconds. */
export const longestWindowMs = 90_000_000;

/** SPEC "Limits", Alert Window Every: the longest `for` of an alert, in milliseconds. */
export const longestForMs = 86_400_000;

/** SPEC "Limits", Histogram buckets: the upper bound of the last bounded bucket. */
export const histogramLargest = 262_144;

/** SPEC "Limits", Traffic Timeout: the shortest timeout of a service, in milliseconds. */
export const shortestTrafficTimeoutMs = 1_000;

/** Milliseconds that one response may take, unless a timeout or profile is set. */
export const trafficTimeoutMs = 300_000;

/** The minimum memory of an instance, in mebibytes. */
export const leastMemoryMi = 128;

/** SPEC "Limits", `fw logs`: the maximum number of entries that `fw logs` prints. */
export const logEntries = 200;

/** SPEC "Limits", `fw logs`: the default time span of `fw logs`, in milliseconds. */
export const logWindowMs: number = 15 * 60_000;

/** Milliseconds within which the response to one attempt of a call to Google must start. */
export const cloudAttemptMs = 15_000;
