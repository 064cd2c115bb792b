import { describe, expect, test } from "vitest";
import * as errors from "./errors.ts";
import * as html from "./html.ts";
import * as redirect from "./redirect.ts";

const { Errorf, Fault, isNotFound, isStatusError, NotFound, StatusError } = errors;

/** Loads a second copy of a module, as if two versions of the package were installed. */
async function copyOf<T>(module: string): Promise<T> {
  return (await import(`${module}?copy`)) as T;
}

describe("Errorf(<status>, <message>)", () => {
  test("gives that status with the message", () => {
    const error = Errorf(422, "total must be positive");
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ status: 422, message: "total must be positive", name: "StatusError" });
  });

  test.each([200, 302, 399, 600, 0, -1, 404.5, Number.NaN])("with status %s is a fault of the program", (status) => {
    expect(() => Errorf(status, "x")).toThrow(Fault);
    expect(() => Errorf(status, "x")).toThrow(`Errorf(${status}): the status of an error must be between 400 and 599`);
  });
});

describe("IsNotFound(err)", () => {
  test("is true for NotFound() and any other 404", () => {
    expect(isNotFound(NotFound())).toBe(true);
    expect(isNotFound(Errorf(404, "no such order"))).toBe(true);
    expect(NotFound().message).toBe("not found");
  });

  test.each([undefined, null, "not found", new Error("not found"), { status: 404 }, Errorf(410, "gone")])(
    "is false for %s",
    (error) => {
      expect(isNotFound(error)).toBe(false);
    },
  );

  test("holds across copies of the package", async () => {
    const copy = await copyOf<typeof errors>("./errors.ts");
    expect(copy.NotFound()).not.toBeInstanceOf(StatusError);
    expect(isNotFound(copy.NotFound())).toBe(true);
    expect(copy.isStatusError(NotFound())).toBe(true);
    expect(isStatusError(new copy.Fault("x"))).toBe(false);
  });
});

test("HTML and redirections are known across copies of the package", async () => {
  const otherHTML = await copyOf<typeof html>("./html.ts");
  const otherRedirect = await copyOf<typeof redirect>("./redirect.ts");
  expect(html.isHTML(new otherHTML.HTML("", true))).toBe(true);
  expect(otherHTML.isHTML(new html.HTML("", true))).toBe(true);
  expect(redirect.isRedirection(otherRedirect.RedirectPermanent("/"))).toBe(true);
  expect(html.isHTML(redirect.Redirect("/"))).toBe(false);
  expect(redirect.isRedirection({ target: "/", permanent: false })).toBe(false);
});
