import { expect, test } from "vitest";
import { CsrfTokens } from "./csrf-tokens.ts";

test("tokens of one response share its cookie, whoever asks for them", () => {
  const tokens = new CsrfTokens(undefined);
  const draft = { cookies: [] as string[], csrfSecret: undefined };
  const request = { draft, collected: draft, session: undefined, secure: false, exchange: { header: () => undefined } };
  const issued = [tokens.issue(request), tokens.issue(request)];
  expect(draft.cookies).toHaveLength(1);
  const cookie = draft.cookies[0]?.split(";")[0];
  const next = { ...request, collected: undefined, exchange: { header: () => cookie } };
  expect(issued.map((token) => tokens.verify(next, token))).toEqual([true, true]);
});
