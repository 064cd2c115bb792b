const src = "packages/fw/src";

/**
 * Areas in which a wrong operator would be expensive. `sources` are files or folders, `tests` are the files that must
 * notice a mutant. The tests are unit tests, because a run per mutant must take only seconds.
 */
export const areas = {
  access: {
    sources: [`${src}/runtime/access`, `${src}/runtime/guard.ts`, `${src}/runtime/auth/access-tokens.ts`],
    tests: [
      `${src}/runtime/access`,
      `${src}/runtime/auth`,
      `${src}/runtime/socket`,
      `${src}/runtime/mount`,
      `${src}/runtime/exchange/http-guard.test.ts`,
      `${src}/runtime/error-messages.test.ts`,
    ],
  },
  decode: {
    sources: [`${src}/runtime/decode`, `${src}/lib/limited.ts`],
    tests: [
      `${src}/runtime/decode`,
      `${src}/runtime/body/fields.test.ts`,
      `${src}/runtime/error-messages.test.ts`,
      `${src}/generate/body-decoder`,
      `${src}/generate/bound-fields.test.ts`,
      `${src}/generate/problem-checks`,
      `${src}/generate/template/attributes.test.ts`,
    ],
  },
  commit: {
    sources: [`${src}/platform/gcp/entities`, `${src}/platform/unique.ts`],
    tests: [`${src}/platform/gcp`],
  },
  outbox: {
    sources: [`${src}/platform/gcp/outbox.ts`, `${src}/runtime/auth/announce.ts`],
    tests: [`${src}/platform/gcp`, `${src}/runtime/auth`],
  },
  apply: {
    sources: [
      `${src}/deploy/apply.ts`,
      `${src}/deploy/map-concurrently.ts`,
      `${src}/deploy/plan.ts`,
      `${src}/deploy/retry.ts`,
    ],
    tests: [
      `${src}/deploy/apply.test.ts`,
      `${src}/deploy/deploy.test.ts`,
      `${src}/deploy/converge.test.ts`,
      `${src}/deploy/map-concurrently.test.ts`,
      `${src}/deploy/retry.test.ts`,
      `${src}/deploy/rollback.test.ts`,
    ],
  },
  messages: {
    sources: [`${src}/platform/local/messages`, `${src}/platform/gcp/messages`],
    tests: [`${src}/platform/local`, `${src}/platform/gcp`, `${src}/runtime/background`],
  },
};
