import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();
const head = `import { type Connection, Socket } from "fw";\n`;
const echo = `async (_ctx, _req, socket: Connection<string, string>) => { for await (const text of socket) await socket.send(text); }`;

test.each([
  [
    "begins as a GET",
    `export const room = Socket("POST /room", ${echo});`,
    '2:28: a socket route must be a GET, not "POST /room" (fw/const-route)',
  ],
  [
    "has no body",
    `export const room = Socket("GET /room", async (_ctx, { text }: { text: string }, socket: Connection<string, string>) => void (await socket.send(text)));`,
    '2:66: "text" would be read from a JSON body, which GET requests do not have (fw/body-on-get)',
  ],
  [
    "sends what can be sent",
    `export const room = Socket("GET /room", async (_ctx, _req, socket: Connection<string, () => void>) => void (await socket.send(() => {})));`,
    expect.stringMatching(/\(fw\/wire-type\)$/),
  ],
  [
    "is one of two at its path",
    `export const room = Socket("GET /room", ${echo});\nexport const other = Socket("GET /room", ${echo});`,
    '3:29: the route "GET /room" is declared twice (fw/route-conflict)',
  ],
  [
    "is no private one",
    `export const room = Socket("GET /room", ${echo}, { private: true } as never);`,
    expect.stringMatching(/"private".*\(fw\/config-literal\)$/),
  ],
])("a socket %s", async (_, source, finding) => {
  expect(await bench.printShop(head + source)).toEqual([finding]);
});

test("a socket with a request, messages and settings is right", async () => {
  const source = `import { type Connection, type Int64, type Path, type Query, Socket } from "fw";
export interface Said { text: string; n?: Int64 }
export const room = Socket("GET /rooms/{id}", async (_ctx, { id, as }: { id: Path; as?: Query }, socket: Connection<Said, string | Said>) => {
  for await (const said of socket) await socket.send(as === undefined ? said : id);
}, { signIn: true, maxBody: "1MB" });
export const only = Socket("GET /only", async (_ctx, _req, socket: Connection<never, Date>) => void (await socket.send(new Date(0))));
`;
  expect(await bench.printShop(source)).toEqual([]);
});
