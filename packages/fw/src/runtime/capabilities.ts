/**
 * Capabilities that an application may use. Each constant guards the code of a capability. `fw build` replaces this
 * module with constants derived from the model (`build/capabilities.ts`), and the bundler removes code guarded by
 * `false`.
 */

/** Pages, sites' 404 pages and status pages. */
export const usesPages: boolean = true;

/** Mails rendered from templates. */
export const usesMails: boolean = true;

/** Pages that handle invalid requests themselves. */
export const usesInvalid: boolean = true;

/** Pages whose handler runs once per submit. */
export const usesOnce: boolean = true;

/** Pages that update in open browsers. */
export const usesLive: boolean = true;

/** Messages that a page shows once, after a redirect. */
export const usesFlash: boolean = true;

/** Pages in the user's language. */
export const usesLanguages: boolean = true;

/** Error responses in a format that the application defines. */
export const usesErrorShapes: boolean = true;

/** Form bodies, uploads, and CSRF tokens in forms. */
export const usesForms: boolean = true;

/** Directories of files, with redirects and fallbacks. */
export const usesSites: boolean = true;

/** Request bodies that are JSON or raw bytes. */
export const usesBodies: boolean = true;

/** Headers and cookies that requests bind. */
export const usesFields: boolean = true;

/** JSON with integers beyond the safe range. */
export const usesInt64: boolean = true;

/** Responses that are a Blob or an event stream. */
export const usesBlobs: boolean = true;

/** Replies with their own status, headers or cookies. */
export const usesReplies: boolean = true;

/** Sessions, access tokens and authenticators. */
export const usesIdentity: boolean = true;

/** Pages where users manage their own accounts. */
export const usesAccounts: boolean = true;

export const usesPolicies: boolean = true;

/** Calls from pages of other origins (CORS). */
export const usesOrigins: boolean = true;

/** Mounted fetch handlers. */
export const usesMounts: boolean = true;

/** Servers of the Model Context Protocol. */
export const usesMCP: boolean = true;

export const usesSockets: boolean = true;

/** Calls from the application's other services. */
export const usesCallers: boolean = true;

/** Calls to the application's other services. */
export const usesRemotes: boolean = true;

/** Calls between services in one process; built services run in separate processes. */
export const usesInProcessCalls: boolean = true;

/** Data, messages and background work, which need a platform. */
export const usesData: boolean = true;

export const usesEntities: boolean = true;

/** Reading referenced documents with `with`. */
export const usesRefs: boolean = true;

/** Rules for references to deleted documents. */
export const usesReferenceRules: boolean = true;

/** Counts of documents by a field. */
export const usesCountBy: boolean = true;

/** Queries that skip their first results. */
export const usesOffset: boolean = true;

/** Word search in documents. */
export const usesSearch: boolean = true;

/** Background rewrites of older documents, for indexed fields with a migration rule. */
export const usesRewrites: boolean = true;

/** Buckets and signed URLs. */
export const usesBuckets: boolean = true;

/** Messages sent to queues, topics and jobs. */
export const usesMessages: boolean = true;

/** Messages with keys: a later message replaces an earlier one with the same key. */
export const usesMessageKeys: boolean = true;

/** Jobs whose runs are recorded. */
export const usesJobHistory: boolean = true;

/** Consumers, crons and singletons. */
export const usesBackground: boolean = true;

export const usesCrons: boolean = true;

/** Rate limits. */
export const usesLimits: boolean = true;

/** Feeds of events for connected clients. */
export const usesFeeds: boolean = true;

/** Code that follows the names present in a feed. */
export const usesFollowedPresence: boolean = true;

/** Tenants, with separate data and messages. */
export const usesTenants: boolean = true;

/** Code that may send requests to other servers, which become spans of traces. */
export const usesOutgoing: boolean = true;

/** Counters and histograms of the application. */
export const usesMetrics: boolean = true;
