import { expect, test } from "vitest";
import type { Bundle } from "../../bundle.ts";
import { HandlerContexts } from "./handler-contexts.ts";

/** Creates a context as another copy of fw would, inside a transaction. */
const context = (id: string): object => ({ outer: { callOrigin: () => ({ trace: { id, flags: "01" } }) } });

type Handler = (ctx: object, ...inputs: readonly unknown[]) => unknown;

interface Row {
  readonly declaration?: { readonly handler?: Handler; readonly decide?: Handler; readonly body?: Handler };
}

const bundleOf = (
  rows: Partial<
    Record<"endpoints" | "crons" | "singletons" | "authenticators", readonly (Row & { readonly allow?: Row })[]>
  >,
): Bundle => ({ endpoints: [], ...rows }) as unknown as Bundle;

test("the trace is that of the handler that runs, also after it has waited, and in handlers that it calls", async () => {
  const contexts = new HandlerContexts();
  const traceIds: (string | undefined)[] = [];
  const inner: Row = { declaration: { handler: () => traceIds.push(contexts.trace?.id) } };
  const outer: Row = {
    declaration: {
      handler: async (ctx) => {
        await Promise.resolve();
        traceIds.push(contexts.trace?.id);
        inner.declaration?.handler?.(context("inner"));
        await Promise.resolve();
        traceIds.push(contexts.trace?.id);
        return ctx;
      },
    },
  };
  contexts.begin();
  contexts.follow(bundleOf({ endpoints: [outer, inner] }));
  const ctx = context("outer");
  expect(await outer.declaration?.handler?.(ctx)).toBe(ctx);
  expect(traceIds).toEqual(["outer", "inner", "outer"]);
  expect(contexts.trace).toBeUndefined();
});

test("handlers are not touched until the contexts are needed", () => {
  const contexts = new HandlerContexts();
  const row: Row = { declaration: { handler: (_ctx, ...inputs) => [contexts.trace?.id, ...inputs] } };
  const { declaration } = row;
  contexts.follow(bundleOf({ crons: [row] }));
  expect(row.declaration).toBe(declaration);
  expect(row.declaration?.handler?.(context("first"), 1, 2)).toEqual([undefined, 1, 2]);
  contexts.begin();
  expect(row.declaration?.handler?.(context("second"), 3)).toEqual(["second", 3]);
  const { declaration: replaced } = row;
  contexts.begin();
  expect(row.declaration).toBe(replaced);
});

test("policies keep their number of parameters, and code that is known already stays the same", () => {
  const contexts = new HandlerContexts();
  const allow: Row = { declaration: { decide: (_ctx, _user, _request) => undefined } };
  const singleton: Row = { declaration: { body: () => contexts.trace?.id } };
  const bundle = bundleOf({ endpoints: [{ declaration: {}, allow }], singletons: [singleton], authenticators: [{}] });
  contexts.begin();
  contexts.follow(bundle);
  expect(allow.declaration?.decide?.length).toBe(3);
  const { body } = singleton.declaration ?? {};
  expect(body?.(context("body"))).toBe("body");
  contexts.follow(bundle);
  expect(singleton.declaration?.body).toBe(body);
});
