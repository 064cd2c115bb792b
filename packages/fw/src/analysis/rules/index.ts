import type { Rule } from "../rule.ts";
import { alertCondition } from "./alerts/alert-condition.ts";
import { alertSubject } from "./alerts/alert-subject.ts";
import { channelBinding } from "./alerts/channel-binding.ts";
import { quantile } from "./alerts/quantile.ts";
import { scopedLabel } from "./alerts/scoped-label.ts";
import { statusClass } from "./alerts/status-class.ts";
import { window } from "./alerts/window.ts";
import { accountMail } from "./auth/account-mail.ts";
import { authAccount } from "./auth/auth-account.ts";
import { authenticatorBinding } from "./auth/authenticator-binding.ts";
import { authProvider } from "./auth/auth-provider.ts";
import { constRole } from "./auth/const-role.ts";
import { emptyRole } from "./auth/empty-role.ts";
import { oneAuthenticator } from "./auth/one-authenticator.ts";
import { policyBinding } from "./auth/policy-binding.ts";
import { policyPrivate } from "./auth/policy-private.ts";
import { policyVar } from "./auth/policy-var.ts";
import { roleVar } from "./auth/role-var.ts";
import { cronSchedule } from "./background/cron-schedule.ts";
import { deadline } from "./background/deadline.ts";
import { delivery } from "./background/delivery.ts";
import { jobBinding } from "./background/job-binding.ts";
import { jobHistory } from "./background/job-history.ts";
import { oneJobHandler, oneWorker } from "./background/one-consumer.ts";
import { retries } from "./background/retries.ts";
import { singletonMax } from "./background/singleton-max.ts";
import { timezone } from "./background/timezone.ts";
import { subscribeBinding, workerBinding } from "./background/source-binding.ts";
import { bindType } from "./binding/bind-type.ts";
import { blobBinding } from "./binding/blob-binding.ts";
import { bodyOnGet } from "./binding/body-on-get.ts";
import { pageBinding } from "./binding/page-binding.ts";
import { unexportedReq } from "./binding/unexported-req.ts";
import { wholeBody } from "./binding/whole-body.ts";
import { wireType } from "./binding/wire-type.ts";
import { configLiteral } from "./config/config-literal.ts";
import { constName } from "./config/const-name.ts";
import { tenantBinding } from "./auth/tenant-binding.ts";
import { tenantEscapes } from "./entities/tenant-escapes.ts";
import { limitRate } from "./config/limit-rate.ts";
import { oneConfig } from "./config/one-config.ts";
import { oneErrorShape, oneService, oneSite, oneStatus } from "./config/one-per-package.ts";
import { resourceName } from "./config/resource-name.ts";
import { siteDir } from "./config/site-dir.ts";
import { domain } from "./domain/domain.ts";
import { domainUnreachable } from "./domain/domain-unreachable.ts";
import { origins } from "./domain/origins.ts";
import { notTraced } from "./config/not-traced.ts";
import { constQueryField } from "./entities/const-query-field.ts";
import { entityId } from "./entities/entity-id.ts";
import { entityIndex } from "./entities/entity-index.ts";
import { entityRef } from "./entities/entity-ref.ts";
import { uniqueList } from "./entities/unique-list.ts";
import { readInLoop } from "./entities/read-in-loop.ts";
import { queryEscapes } from "./entities/query-escapes.ts";
import { queryShapes } from "./entities/query-shapes.ts";
import { unindexedQuery } from "./entities/unindexed-query.ts";
import { cacheSignin } from "./routes/cache-signin.ts";
import { constRoute } from "./routes/const-route.ts";
import { maxAge } from "./routes/max-age.ts";
import { maxBody } from "./routes/max-body.ts";
import { mixedIngress } from "./routes/mixed-ingress.ts";
import { packageLevel } from "./declarations/package-level.ts";
import { machineTime } from "./calls/machine-time.ts";
import { notAwaited } from "./calls/not-awaited.ts";
import { rawCall } from "./calls/raw-call.ts";
import { footprint } from "./scaling/footprint.ts";
import { mixedFootprint, mixedProfile, mixedTraffic } from "./scaling/mixed.ts";
import { traffic } from "./scaling/traffic.ts";
import { livePage } from "./routes/live-page.ts";
import { pageOnce } from "./routes/page-once.ts";
import { reservedPrefix } from "./routes/reserved-prefix.ts";
import { routeConflict } from "./routes/route-conflict.ts";
import { routeParams } from "./routes/route-params.ts";
import { routeStatus } from "./routes/route-status.ts";
import { toolBinding } from "./routes/tool-binding.ts";
import { unexportedErrorShape, unexportedPolicy, unexportedRole, unexportedStatus } from "./unexported.ts";

/** All rules, in the order of the specification's table. */
export const rules: readonly Rule[] = [
  packageLevel,
  constRoute,
  constName,
  constQueryField,
  constRole,
  unexportedReq,
  resourceName,
  routeConflict,
  reservedPrefix,
  routeParams,
  bindType,
  bodyOnGet,
  blobBinding,
  pageBinding,
  workerBinding,
  subscribeBinding,
  jobBinding,
  oneWorker,
  oneJobHandler,
  rawCall,
  oneService,
  oneSite,
  mixedIngress,
  configLiteral,
  oneConfig,
  retries,
  timezone,
  deadline,
  cronSchedule,
  delivery,
  authProvider,
  maxAge,
  cacheSignin,
  oneStatus,
  unexportedStatus,
  siteDir,
  footprint,
  traffic,
  singletonMax,
  mixedFootprint,
  mixedProfile,
  mixedTraffic,
  roleVar,
  unexportedRole,
  emptyRole,
  policyVar,
  unexportedPolicy,
  policyPrivate,
  alertCondition,
  alertSubject,
  channelBinding,
  window,
  quantile,
  statusClass,
  scopedLabel,
  entityId,
  entityIndex,
  unindexedQuery,
  queryShapes,
  queryEscapes,
  domain,
  domainUnreachable,
  wireType,
  notTraced,
  routeStatus,
  maxBody,
  wholeBody,
  origins,
  uniqueList,
  entityRef,
  authenticatorBinding,
  oneAuthenticator,
  authAccount,
  accountMail,
  limitRate,
  oneErrorShape,
  unexportedErrorShape,
  policyBinding,
  machineTime,
  pageOnce,
  tenantBinding,
  tenantEscapes,
  livePage,
  jobHistory,
  toolBinding,
  readInLoop,
  notAwaited,
];
