import type { Context } from "../declare/context.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import { HTML } from "../declare/html.ts";
import type { MCPHost } from "../declare/mcp.ts";
import type { RenderOptions, SiteDeclaration } from "../declare/site.ts";
import type { Application } from "./application.ts";
import { tokenFor } from "./access/csrf.ts";
import { tokenOperations } from "./auth/access-tokens.ts";
import { userOperations } from "./auth/users.ts";
import { runOperations } from "./background/run-operations.ts";
import { messageOperations } from "./background/send.ts";
import { bucketOperations } from "./bucket/bucket.ts";
import type { BundledSite } from "./bundle.ts";
import {
  usesBuckets,
  usesEntities,
  usesFeeds,
  usesFlash,
  usesLanguages,
  usesIdentity,
  usesInProcessCalls,
  usesInvalid,
  usesJobHistory,
  usesLimits,
  usesMails,
  usesMCP,
  usesLive,
  usesMessages,
  usesMetrics,
  usesPages,
  usesReferenceRules,
  usesRemotes,
  usesTenants,
} from "./capabilities.ts";
import { callEndpoint } from "./call.ts";
import type { callInProcess } from "./calls/in-process.ts";
import { isServiceCall, outsideTransaction } from "./calls/origin.ts";
import { entityOperations } from "./entity/entity.ts";
import { ruledOperations } from "./entity/ruled-operations.ts";
import { feedOperations } from "./feed/feed-operations.ts";
import { limitOperations } from "./limit/limit-operations.ts";
import { mailOperations } from "./mail/mail-operations.ts";
import { liveContext, liveFlash, liveToken } from "./live/shown.ts";
import type { answerRequest } from "./mcp/answer-request.ts";
import { metricOperations } from "./observe/metric-operations.ts";
import { renderMarkdown } from "./page/markdown.ts";
import { languageOf } from "./page/language.ts";
import { setFlash, takeFlash } from "./page/flash.ts";
import { sentField } from "./page/sent-field.ts";
import { renderDocument, renderFragment, type RequestParts } from "./page/render.ts";
import type { callRemote } from "./remote/remote.ts";
import { tenantOperations } from "./tenant/tenant-operations.ts";
import { unused } from "./unused.ts";

/** Loaded by the first call to a service in another process. */
let remoteCalls: Promise<{ readonly callRemote: typeof callRemote }> | undefined;

/** Loaded by the first call between services in this process. */
let inProcessCalls: Promise<{ readonly callInProcess: typeof callInProcess }> | undefined;

/** Loaded by the first request to an MCP server. */
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
