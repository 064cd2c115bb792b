const KiB = 1024;
const MiB = 1024 * KiB;

/** Problems that the answer to a refused request lists. */
export const mostProblems = 100;

/** Characters of those problems, beyond which no more are listed. */
export const problemCharacters: number = 16 * KiB;

/** Milliseconds in which an authenticator says whose credentials are. */
export const authenticatorMs = 10_000;

/** Bytes of a message that a socket takes, where its maxBody says nothing else. */
export const socketMessageBytes: number = 64 * KiB;

/** Messages of a socket that wait for its handler; beyond, no more is read of what the visitor sends. */
export const socketQueue = 16;

/**
 * Bytes buffered for the client of a socket; while the buffer is full, `send` waits, and as many bytes again may wait
 * to be sent. Beyond, the socket ends with 1013.
 */
export const socketBufferBytes: number = 1 * MiB;

/**
 * Bytes a second at which the client of a socket must read while more than half of its buffer is full; else the socket
 * ends with 1013.
 */
export const socketDrainBytesPerSecond: number = 64 * KiB;

/** Milliseconds between two looks at whether the client of a socket reads at that pace. */
export const socketStallMs = 1_000;

/** Bytes that one socket sends before other connections have their turn. */
export const socketBurstBytes: number = 64 * KiB;

/** Milliseconds between two looks whether the other end of a socket is still there. */
export const socketPingMs = 30_000;

/** Milliseconds that a visitor has to say that they have seen the end of a socket. */
export const socketCloseMs = 1_000;

/** Bytes of the reason with which a socket ends: what a frame takes. */
export const socketReasonBytes = 123;

/** Sockets that one address may have open, at each process. */
export const socketsOfAddress = 100;

/** Sockets that one user may have open, at each process. */
export const socketsOfUser = 100;

/** Sockets that a process has open. */
export const socketConnections = 10_000;

/** Milliseconds between two looks for changed accounts, which end the sockets of users that may no longer have them. */
export const socketAccessMs = 3_000;

/** Milliseconds after which an answer that is still being sent counts as a stream. */
export const longAnswerMs = 5_000;

/** Streams that one address may have open, at each process: server-sent events and long answers. */
export const streamsOfAddress = 100;

/** Streams that one user may have open, at each process. */
export const streamsOfUser = 100;

/** Streams that a process has open. */
export const streamsOfProcess = 10_000;

/** SPEC "Limits": uploads stay in memory up to this many bytes per request, then go to a temporary file. */
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

/** Bytes that a route may take of a body that is no upload: what the platform takes of a request. */
export const longestBodyBytes: number = 32 * MiB;

/** Bytes of a cookie's name and value, encoded: what browsers take. */
export const cookieBytes = 4096;

/** Objects and arrays inside each other in a JSON body. */
export const jsonDepth = 1000;

/** Bytes of a urlencoded form. */
export const formBytes: number = 1 * MiB;

/** Fields of a urlencoded form. */
export const formFields = 1000;

/** Bytes of a request to sign in or out. */
export const signInBytes: number = 64 * KiB;

/** Characters of the path that a sign-in leads on to. */
export const nextCharacters = 2000;

/** Parameters of a query string. */
export const queryParameters = 1000;

/** Bytes of a request's line and headers; beyond, 431. */
export const headerBytes: number = 16 * KiB;

/** The number of bytes of an unwanted body to read and discard, so that the connection can be reused. */
export const unreadBytes: number = 64 * KiB;

/** Milliseconds a client may take for a request's headers. */
export const headersMs = 30_000;

/** Milliseconds after which a body must have come at `bodyBytesPerSecond` or more on average. */
export const bodyMs = 50_000;

/** Bytes a second under which a client that sends a body counts as stalled. */
export const bodyBytesPerSecond: number = 8 * KiB;

/** Milliseconds a client may leave a response unread. */
export const stalledMs = 55_000;

/** The keep-alive timeout of an idle connection, in milliseconds. */
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

/** Milliseconds that a service, or an application's modules, may take to start before the log says so. */
export const slowStartMs = 5_000;

/** Milliseconds that a service, or an application's modules, have to start before fw ends them. */
export const startMs = 60_000;

/** Milliseconds that a start which hangs has once a newer save waits for it. */
export const giveWayMs = 2_000;

/** SPEC "API endpoint": hops of the platform that append to X-Forwarded-For. */
export const platformHops = 1;

/** Entries of X-Forwarded-For that are looked at where proxies are named that may say where a request came from. */
export const forwardedHops = 16;

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

/** Times that a call of another service is made again where it certainly did no harm. */
export const remoteRetries = 2;

/** Connections to one address of another service; calls beyond wait. */
export const remoteConnections = 256;

/** The keep-alive timeout of an idle connection to another service, in milliseconds; well below `keepAliveMs`. */
export const remoteIdleMs = 30_000;

/** Bytes of the path and query of a call from one service to another. */
export const callPathBytes: number = 8 * KiB;

/** Bytes of what one service sends another, or is answered by it, that is JSON or HTML. */
export const remoteBytes: number = 32 * MiB;

/** SPEC "Limits": conditional filters that one function may assemble a query from. */
export const mostConditions = 4;

/** SPEC "Limits", conditional query filters per function: composite indexes that a project has at most. */
export const compositeIndexes = 200;

/** Bytes of a stored document with its indexed values. */
export const documentBytes: number = 1 * MiB;

/** Bytes of UTF-8 of a document's id. */
export const documentIdBytes = 1500;

/** Bytes of UTF-8 of a string that an index holds. */
export const indexedStringBytes = 1500;

/** Elements of an array of which each is indexed. */
export const indexedElements = 1000;

/** Bytes of UTF-8 of one text in a stored document. */
export const documentTextBytes = 1_048_487;

/** Objects and lists inside each other in a field of a stored document. */
export const documentDepth = 20;

/** Characters of the name of a kind of document or of a lease. */
export const kindCharacters = 200;

/** Documents of a query's page, and keys of one read of many. */
export const pageDocuments = 1000;

/** Combinations of values that the `in` filters of one query make. */
export const queryCombinations = 30;

/** Documents and messages that one transaction writes; Datastore commits 500, of which fw's proof is one. */
export const transactionWrites = 499;

/** Attempts of a transaction that meets conflicts. */
export const transactionAttempts = 20;

/** Documents of a page of a query that names no limit. */
export const queryPage = 20;

/** Documents that \`all\` reads of a query that names no limit. */
export const mostDocuments = 10_000;

/** Milliseconds that a message can be delayed, 30 days. */
export const longestDelayMs = 2_592_000_000;

/** Milliseconds that a singleton's lease lasts without being renewed. */
export const singletonLeaseMs = 15_000;

/** Milliseconds before a singleton's body is started again; twice as many before each further start. */
export const singletonPauseMs = 1_000;

/** Milliseconds before a singleton's body is started again, at most. */
export const singletonPauseCeilingMs = 60_000;

/** Bytes of UTF-8 of a message's JSON text. */
export const messageBytes: number = 256 * KiB;

/** Characters of a cron's schedule. */
export const scheduleCharacters = 200;

/** SPEC "Limits", Cron Deadline: the shortest, in milliseconds. */
export const shortestCronDeadlineMs = 15_000;

/** SPEC "Limits", Cron Deadline: the longest, in milliseconds. */
export const longestCronDeadlineMs = 1_800_000;

/** Milliseconds that a run of a cron may take where it declares no deadline. */
export const cronDeadlineMs = 180_000;

/** SPEC "Limits", Delivery MaxAttempts: the fewest. */
export const fewestDeliveries = 5;

/** SPEC "Limits", Delivery MaxAttempts: the most. */
export const mostDeliveries = 100;

/** Deliveries of a message before it is dead, where no maxAttempts is declared. */
export const deliveries = 10;

/** Milliseconds before the second delivery of a message, where no minBackoff is declared. */
export const minBackoffMs = 10_000;

/** Milliseconds between two deliveries of a message at most, where no maxBackoff is declared. */
export const maxBackoffMs = 600_000;

/** Milliseconds that a backoff of a subscriber may be. */
export const longestTopicBackoffMs = 600_000;

/** Milliseconds that a backoff of a worker may be. */
export const longestQueueBackoffMs = 3_600_000;

/** Deliveries a second that a worker's rateLimit may name. */
export const highestRateLimit = 500;

/** Milliseconds that a worker or a subscriber may take for one delivery. */
export const deliveryDeadlineMs = 600_000;

/** SPEC "Limits", Runner Attempts: how often a task that failed is tried again, at most. */
export const mostRetries = 10;

/** Times that a task that failed is tried again, where no attempts are declared. */
export const runnerRetries = 3;

/** Tasks of one run of a job. */
export const mostTasks = 10_000;

/** Milliseconds that one attempt of a task may take, where no timeout is declared. */
export const runnerTimeoutMs = 600_000;

/** Milliseconds that a runner's timeout is at least. */
export const shortestRunnerTimeoutMs = 1_000;

/** Milliseconds that a runner's timeout is at most, 7 days. */
export const longestRunnerTimeoutMs = 604_800_000;

/** Bytes of a delivery that is pushed: a message in base64, in an envelope. */
export const pushBytes: number = 512 * KiB;

/** Deliveries that one handler gets at the same time on a laptop. */
export const deliveryConcurrency = 16;

/** SPEC "Limits", Session lifetime: milliseconds from sign-in, whatever happens meanwhile. */
export const sessionMs = 604_800_000;

/** Bytes of UTF-8 of an account's address. */
export const emailBytes = 254;

/** Characters of an account's name. */
export const accountNameCharacters = 256;

/** Characters of an access token's name. */
export const tokenNameCharacters = 100;

/** Characters of an account's id. */
export const accountIdCharacters = 128;

/** Bytes of an account's claims as JSON, its roles included. */
export const accountClaimsBytes: number = 16 * KiB;

/** The same where Identity Platform keeps them: characters, its own limit. */
export const identityClaimsCharacters = 1_000;

/** Seconds after a sign-in at the identity provider for which its ID token begins a session. */
export const signInTokenSeconds = 300;

/** Bytes of UTF-8 of a password. */
export const passwordBytes: number = 1 * KiB;

/** Rounds of PBKDF2-HMAC-SHA-512 that a password takes. */
export const passwordIterations = 220_000;

/** Passwords that are derived at the same time; others wait. */
export const passwordDerivations = 2;

/**
 * Passwords that wait to be derived; beyond, sign-ins and new accounts with a password are refused until some are done.
 */
export const passwordsWaiting = 64;

/** The `Retry-After` of a sign-in refused because too many password checks are waiting, in milliseconds. */
export const busyMs = 5_000;

/** Bytes of UTF-8 of an object's key. */
export const objectKeyBytes = 1024;

/** Characters of an object's content type. */
export const contentTypeCharacters = 255;

/** Objects of a page of a bucket's list. */
export const objectPage = 1000;

/** Milliseconds that a signed URL is good for, at least. */
export const shortestSignedMs = 1_000;

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

/** Characters of what a dead message's last delivery failed with. */
export const deadReasonCharacters = 1000;

/** Connections on which a service calls a platform that is another process, beside those that carry objects. */
export const loopbackConnections = 16;

/** Bytes of one call to a platform that is another process, beside an object's. */
export const loopbackBytes: number = 64 * MiB;

/** Values of one call to a platform that is another process. */
export const loopbackValues = 4_000_000;

/** Milliseconds until a transaction of another process is over. */
export const loopbackTransactionMs = 270_000;

/**
 * The number of transactions and open objects that a platform holds for another process; beyond it, the oldest is
 * released.
 */
export const loopbackKept = 10_000;

/** SPEC "Limits", Histogram buckets: the bound below which a sample is in the underflow. */
export const histogramLowest = 1;

/** SPEC "Limits", Metrics flush: milliseconds between two exports of what was counted. */
export const metricFlushMs = 60_000;

/** Characters of one line of the log, about; what a message or its fields have beyond is cut. */
export const logLineCharacters = 131_072;

/** Requests and lines of the log that are sent to a collector at once, at most. */
export const telemetryBatch = 512;

/** Milliseconds after which requests and lines of the log are sent to a collector, at the latest. */
export const telemetryBatchMs = 5_000;

/** Requests, and lines of the log, that wait for a collector; beyond, they are left out. */
export const telemetryWaiting = 4_096;

/** Routes, crons and jobs of which one process counts the requests apart; those to others are counted together. */
export const metricRoutes = 10_000;

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

/** Milliseconds that a traffic's timeout is at most. */
export const longestTrafficTimeoutMs = 3_600_000;

/** Milliseconds that the timeout of a worker is at most. */
export const longestWorkerTimeoutMs = 1_800_000;

/** Milliseconds that the timeout of a subscriber is at most. */
export const longestSubscriberTimeoutMs = 600_000;

/** Requests that one instance may answer at the same time, at most. */
export const mostConcurrency = 1000;

/** Mebibytes of memory that an instance has at least. */
export const leastMemoryMi = 128;

/** Mebibytes of memory that a task of a runner has at least. */
export const leastRunnerMemoryMi = 512;

/** Mebibytes of memory that an instance has at most. */
export const mostMemoryMi = 32_768;

/** Milliseconds between two looks at whether alerts fire. */
export const alertTickMs = 30_000;

/** SPEC "Limits", `fw logs`: entries that are printed, at most. */
export const logEntries = 200;

/** SPEC "Limits", `fw logs`: the default window, in milliseconds. */
export const logWindowMs: number = 15 * 60_000;

/** Connections to one host of Google; calls beyond wait. */
export const cloudConnections = 128;

/** Milliseconds that one attempt of a call of Google may take until its answer begins. */
export const cloudAttemptMs = 15_000;

/** Attempts of a call of Google that fails for a moment. */
export const cloudAttempts = 5;

/** Milliseconds after which a call of Google that fails for a moment is not made again. */
export const cloudBudgetMs = 20_000;

/** Milliseconds that a deploy waits for where a domain leads. */
export const domainLookupMs = 5_000;
