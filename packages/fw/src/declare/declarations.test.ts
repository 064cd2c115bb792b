import { text } from "node:stream/consumers";
import { describe, expect, expectTypeOf, test } from "vitest";
import { API } from "./api.ts";
import { blob } from "./blob.ts";
import type { Context } from "./context.ts";
import type { Host } from "./host.ts";
import { HOST } from "./slot.ts";
import type { Cookie, Form, Header, Path } from "./binding.ts";
import { type FormInput, Page } from "./page.ts";
import { Service } from "./service.ts";
import { Site } from "./site.ts";
import { StatusPage } from "./status.ts";

function handler(): never {
  throw new Error("ran");
}

test("a declaration is an inert, frozen record", () => {
  const declarations = [
    API("GET /", handler),
    Page("GET /", () => blob("", { type: "" })),
    Site("./web"),
    Service(),
    StatusPage(() => handler()),
  ];
  for (const declaration of declarations) expect(Object.isFrozen(declaration)).toBe(true);
  expect(declarations.map(({ kind }) => kind)).toEqual(["api", "page", "site", "service", "status"]);
});

test("call reaches the runtime through the context", async () => {
  const calls: unknown[] = [];
  const host: Pick<Host, "call"> = {
    call: async (...call) => {
      calls.push(call);
      return "answer";
    },
  };
  const ctx = { [HOST]: host } as unknown as Context;
  const endpoint = API("GET /{id}", async (_, { id }) => id);
  expect(await endpoint.call(ctx, { id: "7" })).toBe("answer");
  expect(calls).toEqual([[ctx, endpoint, { id: "7" }]]);
});

describe("Service.domain()", () => {
  test("returns the declared string, and an empty string when none was declared", () => {
    expect(Service({ domain: "shop.example.org" }).domain()).toBe("shop.example.org");
    expect(Service({ profile: "batch" }).domain()).toBe("");
  });
});

describe("blob()", () => {
  test("knows its size where the content is at hand", async () => {
    const made = blob("héllo", { type: "text/plain", etag: "v1" });
    expect(made).toMatchObject({ type: "text/plain", size: 6, etag: "v1" });
    expect(await text(made.stream())).toBe("héllo");
    expect(await text(made.stream())).toBe("héllo");
    expect(blob(new Uint8Array(3), { type: "image/png" }).size).toBe(3);
  });

  test("takes a stream's word for its size", () => {
    const stream = new ReadableStream<Uint8Array>();
    expect(blob(stream, { type: "a/b" })).not.toHaveProperty("size");
    expect(blob(stream, { type: "a/b", size: 9 }).size).toBe(9);
    expect(blob(stream, { type: "a/b" }).stream()).toBe(stream);
  });
});

test("an invalid handler gets the fields that a browser can send again, not headers and cookies", () => {
  interface Change {
    id: Path;
    tags: Form<string[]>;
    isDone?: Form<boolean>;
    agent: Header<"web" | "app">;
    theme?: Cookie;
  }
  expectTypeOf<FormInput<Change>>().toEqualTypeOf<{
    readonly id: string;
    readonly tags: readonly string[];
    readonly isDone: string;
  }>();
});
