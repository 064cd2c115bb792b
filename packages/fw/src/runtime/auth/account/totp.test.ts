import { expect, test } from "vitest";
import { base32, codeAt, provisioningURL, stepAt, stepOfCode } from "./totp.ts";

const seed = (bytes: number): Buffer => Buffer.from("1234567890".repeat(7).slice(0, bytes));

// Test vectors from RFC 6238, appendix B.
test.each([
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
])("the codes of second %i are those of RFC 6238", (second, sha1, sha256, sha512) => {
  const step = stepAt(second * 1_000);
  expect(codeAt(seed(20), step, { digits: 8 })).toBe(sha1);
  expect(codeAt(seed(32), step, { digits: 8, algorithm: "sha256" })).toBe(sha256);
  expect(codeAt(seed(64), step, { digits: 8, algorithm: "sha512" })).toBe(sha512);
});

// Test vectors from RFC 4226, appendix D.
test("codes have six digits, as RFC 4226 truncates them", () => {
  const codes = Array.from({ length: 10 }, (_, counter) => codeAt(seed(20), counter));
  expect(codes.join(" ")).toBe("755224 287082 359152 969429 338314 254676 287922 162583 399871 520489");
});

// Test vectors from RFC 4648, without padding.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%j in base32 is %j", (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test("a code is accepted in its step and one before and after, and never of a step that was used", () => {
  const secret = seed(20);
  const now = 1_234_567_890_000;
  const step = stepAt(now);
  const accepts = (at: number, after = 0): number | undefined => stepOfCode(codeAt(secret, at), { secret, now, after });
  expect([-2, -1, 0, 1, 2].map((offset) => accepts(step + offset))).toEqual([
    undefined,
    step - 1,
    step,
    step + 1,
    undefined,
  ]);
  expect(accepts(step, step)).toBeUndefined();
  expect(accepts(step - 1, step)).toBeUndefined();
  expect(accepts(step + 1, step)).toBe(step + 1);
});

test.each(["", "1", "12345", "1234567", "abcdef", "１２３４５６", "000000\0"])("%j is no code", (code) => {
  expect(stepOfCode(code, { secret: seed(20), now: 59_000, after: 0 })).toBeUndefined();
});

test("the address for apps escapes the names of the application and the account", () => {
  expect(provisioningURL(seed(20), "a&b?c", 'x"<@example.com')).toBe(
    "otpauth://totp/a%26b%3Fc:x%22%3C%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=a%26b%3Fc",
  );
});
