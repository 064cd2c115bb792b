import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import { onLine } from "./lines.ts";

test("a line ends at a newline only, wherever the chunks of its text do", async () => {
  const stream = new PassThrough();
  const heard: string[] = [];
  onLine(stream, (line) => heard.push(line));
  const text = Buffer.from('{"text":"a\u2028b é"}\r\nnext\n\nlast');
  for (const byte of text) stream.write(Uint8Array.of(byte));
  stream.end();
  await finished(stream);
  expect(heard).toEqual(['{"text":"a\u2028b é"}', "next", "", "last"]);
});
