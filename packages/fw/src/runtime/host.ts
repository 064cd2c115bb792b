import type { Context } from "../declare/context.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityOperations } from "../declare/entity-query.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import { HTML } from "../declare/html.ts";
import type { LimitOperations } from "../declare/limit.ts";
import type { MCPHost } from "../declare/mcp.ts";
import type { RenderOptions, SiteDeclaration } from "../declare/site.ts";
import { tokenFor } from "./access/csrf.ts";
import { type Application, platformOf } from "./application.ts";
import { tokenOperations } from "./auth/access-tokens.ts";
import { userOperations } from "./auth/users.ts";
import { runOperations } from "./background/run-operations.ts";
import { messageOperations } from "./background/send.ts";
import { bucketOperations } from "./bucket/bucket.ts";
import type { BundledSite } from "./bundle.ts";
import { callEndpoint } from "./call.ts";
import type { callInProcess } from "./calls/in-process.ts";
import { isServiceCall, outsideTransaction } from "./calls/origin.ts";
import {
  usesBuckets,
  usesEntities,
  usesFeeds,
  usesFlash,
  usesIdentity,
  usesInProcessCalls,
  usesInvalid,
  usesJobHistory,
  usesLanguages,
  usesLimits,
  usesLive,
  usesMails,
  usesMCP,
  usesMessages,
  usesMetrics,
  usesPages,
  usesReferenceRules,
  usesRemotes,
  usesTenants,
} from "./capabilities.ts";
import { lifetimeIn } from "./context-ports.ts";
import { entityOperations } from "./entity/entity.ts";
import { hasReferenceRules } from "./entity/reference-rules.ts";
import { messages } from "./error-messages.ts";
import { feedOperations } from "./feed/feed-operations.ts";
import { countUse } from "./limit/count-use.ts";
import { liveContext, liveFlash, liveToken } from "./live/shown.ts";
import { mailOperations } from "./mail/mail-operations.ts";
import type { answerRequest } from "./mcp/answer-request.ts";
import { metricOperations } from "./observe/metric-operations.ts";
import { setFlash, takeFlash } from "./page/flash.ts";
import { languageOf } from "./page/language.ts";
import { renderMarkdown } from "./page/markdown.ts";
import { renderDocument, renderFragment, type RequestParts } from "./page/render.ts";
import { sentField } from "./page/sent-field.ts";
import type { callRemote } from "./remote/remote.ts";
import { RetryLater } from "./response/busy.ts";
import { nameInTenant } from "./tenant/tenant-context.ts";
import { tenantOperations } from "./tenant/tenant-operations.ts";
import { unused } from "./unused.ts";

/** Loaded on the first call to a service in another process. */
let remoteCalls: Promise<{ readonly callRemote: typeof callRemote }> | undefined;

/** Loaded on the first call between services in this process. */
let inProcessCalls: Promise<{ readonly callInProcess: typeof callInProcess }> | undefined;

/** Loaded on the first request to an MCP server. */
let mcpServer: Promise<{ readonly answerRequest: typeof answerRequest }> | undefined;

/** Creates the host, which implements the operations of an application's declarations. */
export function createHost(application: () => Application): Host {
  const siteOf = (declaration: SiteDeclaration): BundledSite => {
    const site = application().sites.get(declaration);
    if (site === undefined) throw new Fault(`the site ${declaration.dir} is not part of this application`);
    return site;
  };
  return {
    now: () => new Date(application().platform?.clock.now() ?? Date.now()),
    async call(ctx, declaration, request) {
      const app = application();
      const outer = outsideTransaction(ctx);
      const endpoint = app.endpoints.get(declaration);
      if (usesInProcessCalls && endpoint !== undefined && isServiceCall(app, outer, endpoint))
        return (await (inProcessCalls ??= import("./calls/in-process.ts"))).callInProcess(
          app,
          endpoint,
          outer,
          request,
        );
      if (endpoint !== undefined) return callEndpoint(outer, endpoint, request);
      const remote = app.remotes.get(declaration);
      if (!usesRemotes || remote === undefined) throw new Fault(unknownEndpoint(declaration));
      const calls = await (remoteCalls ??= import("./remote/remote.ts"));
      return calls.callRemote(app, remote, outer, request);
    },
    render: (ctx, site, template, data, options) =>
      usesPages ? renderDocument(siteOf(site), template, data, partsOf(ctx, options)) : unused,
    fragment: (ctx, site, template, data, options) =>
      usesPages ? renderFragment(siteOf(site), template, data, partsOf(ctx, options)) : unused,
    markdown: (_ctx, site, text) => (usesPages ? new HTML(renderMarkdown(siteOf(site), text), false) : unused),
    flash(ctx, message) {
      if (usesFlash) setFlash(ctx, message);
    },
    entities: usesEntities ? (usesReferenceRules ? ruledOperations : entityOperations)(application) : unused,
    users: usesIdentity ? userOperations(application) : unused,
    tokens: usesIdentity ? tokenOperations(application) : unused,
    buckets: usesBuckets ? bucketOperations(application) : unused,
    limits: usesLimits ? limitOperations(application) : unused,
    feeds: usesFeeds ? feedOperations(application) : unused,
    mails: usesMails ? mailOperations : unused,
    mcp: usesMCP ? mcpOperations(application) : unused,
    tenants: usesTenants ? tenantOperations(application) : unused,
    runs: usesJobHistory ? runOperations(application) : unused,
    messages: usesMessages ? messageOperations(application) : unused,
    metrics: usesMetrics ? metricOperations(application) : unused,
  };
}

function mcpOperations(application: () => Application): MCPHost["mcp"] {
  return {
    async answer(ctx, server, request) {
      const { answerRequest } = await (mcpServer ??= import("./mcp/answer-request.ts"));
      return answerRequest(application(), ctx, server, request);
    },
  };
}

function partsOf(ctx: Context, options: RenderOptions | undefined): RequestParts {
  return {
    csrfToken: () => (usesLive ? liveToken(ctx) : undefined) ?? tokenFor(ctx),
    ...(usesInvalid && { field: (route, name) => sentField(ctx, route, name) }),
    ...(usesFlash && { flash: () => (usesLive ? liveFlash(ctx, takeFlash) : undefined) ?? takeFlash(ctx) }),
    ...(usesLanguages && {
      language: (languages) => languageOf(usesLive ? liveContext(ctx) : ctx, languages, options?.language),
    }),
  };
}

function unknownEndpoint({ route }: EndpointDeclaration): string {
  return `${route} is not part of this application: a directory with its own package.json is another package`;
}

/** Implements entities with reference rules. Each write to them is a transaction that applies the rules. */
function ruledOperations(application: () => Application): EntityOperations {
  const operations = entityOperations(application);
  const run = <T>(ctx: Context, declaration: EntityDeclaration, write: (tx: Context) => Promise<T>): Promise<T> =>
    hasReferenceRules(application().entities.values(), declaration) ? operations.transaction(ctx, write) : write(ctx);
  return {
    ...operations,
    create: (ctx, declaration, document) => run(ctx, declaration, (tx) => operations.create(tx, declaration, document)),
    put: (ctx, declaration, document) => run(ctx, declaration, (tx) => operations.put(tx, declaration, document)),
    delete: (ctx, declaration, id) => run(ctx, declaration, (tx) => operations.delete(tx, declaration, id)),
  };
}

/** Implements limits. Each use is counted in a transaction, in a document for the limit and key. */
function limitOperations(application: () => Application): LimitOperations {
  return {
    async take(ctx, limit, key) {
      if (typeof key !== "string") throw new Fault(`limit ${limit.name}: the key is ${typeof key}, not a string`);
      const platform = platformOf(application(), "count the uses of limits on");
      const name = usesTenants ? nameInTenant(ctx, limit) : limit.name;
      const seconds = await countUse(platform, { name, rate: limit.rate }, key, lifetimeIn(ctx));
      if (seconds > 0) throw new RetryLater(429, messages.limited(seconds), seconds, { retryAfter: seconds });
    },
  };
}
