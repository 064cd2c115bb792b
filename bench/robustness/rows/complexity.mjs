import { ask, exchange, form, json } from "../wire.mjs";

const KiB = 1024;
const wide = (text, bytes = 15 * KiB) => text.repeat(Math.floor(bytes / text.length));
const header = (name, value, path = "/robots.txt") => [path, { headers: { [name]: value } }];
const post = (path, type, body) => [path, { method: "POST", headers: { "Content-Type": type }, body }];
const multipart = (body) => post("/photographs", "multipart/form-data; boundary=x", body);
const part = (name, value = "") => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const nested = (text, end, depth) => `{"value":${text.repeat(depth)}1${end.repeat(depth)}}`;

// Inputs close to the maximum permitted size that would take super-linear time in a careless parser.
const inputs = {
  "query of &": [`/ships?${wide("&")}`],
  "query of 990 &a=": [`/ships?${"a=&".repeat(990)}`],
  "query of 990 tags": [`/ships?${"tag=a&".repeat(990)}`],
  "query of %": [`/ships?text=${wide("%")}`],
  "query of names of %": [`/ships?${"%&".repeat(990)}`],
  "query of %25": [`/ships?text=${wide("%25")}`],
  "query of %F0": [`/ships?text=${wide("%F0%9F%98%80")}`],
  "query of +": [`/ships?text=${wide("+")}`],
  "query of =": [`/ships?text=${wide("=")}`],
  "query of digits": [`/ships?limit=${wide("9")}`],
  "query of digits for a number": [`/ships?tonnes=${wide("9")}`],
  "query of digits and a letter": [`/ships?tonnes=${wide("9")}x`],
  "query of digits for an int64": [`/ships?exact=${wide("9")}`],
  "query of dots": [`/ships?tonnes=${wide("1.")}`],
  "path of slashes": [`/${wide("/")}`],
  "path of /a": [wide("/a")],
  "path of /..": [wide("/..")],
  "path of %2f": [`/cranes/${wide("%2f")}/x`],
  "path of %": [`/cranes/${wide("%")}/x`],
  "path of /%41": [wide("/%41")],
  "path of dots": [`/${wide(".")}`],
  "one long name": [`/${wide("a")}`],
  "long path of the framework": [`/_fw/${wide("a/")}`],
  "long parameter": [`/berths/${wide("1")}`],
  Cookie: header("Cookie", wide("a=b; "), "/desk"),
  "Cookie of ;": header("Cookie", wide(";"), "/desk"),
  "Cookie of =": header("Cookie", wide("="), "/desk"),
  "Cookie of our name": header("Cookie", wide("fw_csrf=a; "), "/desk"),
  "Cookie of dots": header("Cookie", `fw_csrf=${wide(".")}`, "/desk"),
  Accept: header("Accept", wide("text/html;q=0.1,"), "/nowhere"),
  "Accept-Encoding": header("Accept-Encoding", wide("gzip;q=0.1,")),
  "Accept-Encoding of blanks": header("Accept-Encoding", `a${wide(" ")}b`),
  "Accept-Encoding of ;": header("Accept-Encoding", wide(";")),
  "If-None-Match": header("If-None-Match", wide('"a",')),
  "If-None-Match of W/": header("If-None-Match", wide("W/")),
  "If-None-Match of blanks": header("If-None-Match", `"a"${wide(" ")}x`),
  "If-None-Match of commas": header("If-None-Match", wide(" ,")),
  "If-None-Match of quotes": header("If-None-Match", wide('"')),
  "If-None-Match of a blob": header("If-None-Match", wide('W/"b" , '), "/tide"),
  "If-Range": header("If-Range", wide('"a",')),
  Range: header("Range", `bytes=${wide("0-1,")}`),
  "Range of digits": header("Range", `bytes=${wide("1")}-`),
  "Range of blanks": header("Range", `bytes=${wide(" ")}x`),
  Host: header("Host", wide("a.")),
  "Host of %": header("Host", wide("%41")),
  "X-Forwarded-For": header("X-Forwarded-For", wide("1.1.1.1, "), "/client"),
  "X-Forwarded-For of commas": header("X-Forwarded-For", wide(","), "/client"),
  "X-Forwarded-For of colons": header("X-Forwarded-For", wide(":"), "/client"),
  "X-Forwarded-Proto": header("X-Forwarded-Proto", wide("https, "), "/desk"),
  "X-Forwarded-Proto of blanks": header("X-Forwarded-Proto", `,${wide(" ")}x`, "/desk"),
  "X-Forwarded-Proto of commas and blanks": header("X-Forwarded-Proto", `${wide(",    ")}x`, "/desk"),
  Origin: header("Origin", wide("://"), "/desk"),
  "Content-Type of charsets": post("/notes", `application/json${wide("; charset=")}`, "{}"),
  "Content-Type of blanks": post("/notes", `application/json;${wide(" ")}x`, "{}"),
  "Content-Type of ; and blanks": post("/notes", `application/json${wide(";   ")}x`, "{}"),
  "Content-Type of +": post("/notes", `application/${wide("+")}`, "{}"),
  "Content-Type of boundaries": post("/photographs", `multipart/form-data${wide("; boundary=x")}`, "--x--"),
  "Content-Type of backslashes": post("/photographs", `multipart/form-data; boundary="${wide("\\")}`, "--x--"),
  'Content-Type of \\"': post("/photographs", `multipart/form-data; boundary="${wide('\\"')}`, "--x--"),
  'Content-Type of \\" and blanks': post("/photographs", `multipart/form-data; boundary="${wide('\\"    ')}`, "--x--"),
  "X-CSRF-Token": ["/desk", form("ship=a", { "X-CSRF-Token": wide("a"), Cookie: wide("fw_csrf=a; ", 1000) })],
  "2,500 headers": [
    "/office",
    { headers: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`a${i.toString(36)}`, ""])) },
  ],
  "JSON of arrays": ["/notes", json(nested("[", "]", 990))],
  "JSON of objects": ["/notes", json(nested('{"a":', "}", 990))],
  "JSON of 500,000 arrays": ["/notes", json(`{"value":${"[".repeat(500_000)}`)],
  "JSON of empty arrays": ["/notes", json(`{"value":[${wide("[],", 1000 * KiB)}[]]}`)],
  "JSON of empty objects": ["/notes", json(`{"value":[${wide("{},", 1000 * KiB)}{}]}`)],
  "JSON of ones": ["/notes", json(`{"value":[${wide("1,", 1000 * KiB)}1]}`)],
  "JSON of members": ["/notes", json(`{"value":{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(",")}}}`)],
  "JSON of members that look like indices": [
    "/notes",
    json(`{"value":{${Array.from({ length: 60_000 }, (_, i) => `"${i * 40_009}":1`).join(",")}}}`),
  ],
  "JSON of __proto__": ["/notes", json(`{"value":[${wide('{"__proto__":1},', 1000 * KiB)}1]}`)],
  "JSON of one poisoned object": [
    "/notes",
    json(`{"value":{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(",")},"__proto__":{}}}`),
  ],
  "JSON of long integers": [
    "/hulls",
    json(`{"holds":{${Array.from({ length: 30_000 }, (_, i) => `"k${i}":12345678901234567890`).join(",")}}}`),
  ],
  "JSON of a long number": ["/notes", json(`{"value":${wide("9", 1000 * KiB)}}`)],
  "JSON of backslashes": ["/notes", json(`{"value":"${wide("\\\\", 1000 * KiB)}"}`)],
  "JSON of escapes": ["/notes", json(`{"value":"${wide("\\u0041", 1000 * KiB)}"}`)],
  "JSON of blanks": ["/notes", json(`{"value":${wide(" ", 1000 * KiB)}1}`)],
  "JSON of crew": [
    "/ships",
    json(
      `{"name":"a","length":1,"crew":[${wide('{"name":"a","rank":"mate"},', 1000 * KiB)}{"name":"a","rank":"cook"}]}`,
    ),
  ],
  "JSON of long dates": [
    "/ships",
    json(`{"name":"a","length":1,"crew":[],"built":"${wide("2026-11-21T", 1000 * KiB)}"}`),
  ],
  "form of &": ["/manifests", form(wide("&", 1000 * KiB))],
  "form of 990 fields": ["/manifests", form(`ship=a&${"cargo=a&".repeat(990)}`)],
  "form of %41": ["/manifests", form(`ship=${wide("%41", 1000 * KiB)}`)],
  "form of %": ["/manifests", form(`ship=${wide("%", 1000 * KiB)}`)],
  "form of +": ["/manifests", form(`ship=${wide("+", 1000 * KiB)}`)],
  "form of bytes beyond ASCII": ["/manifests", form(`ship=${wide("\xc3\xa9", 1000 * KiB)}`)],
  "form of =": ["/manifests", form(wide("=", 1000 * KiB))],
  "form of digits": ["/manifests", form(`ship=a&tonnes=${wide("9", 1000 * KiB)}`)],
  "multipart of 990 parts": multipart(`${part("a").repeat(990)}--x--`),
  "multipart of 40,000 parts": multipart(`${part("a").repeat(15_000)}--x--`),
  "multipart of CRLF--": multipart(`${part("title", wide("\r\n--", 900 * KiB))}--x--`),
  "multipart of CR": multipart(`${part("title", wide("\r", 900 * KiB))}--x--`),
  "multipart of near boundaries": multipart(`${part("title", wide("\r\n--y", 900 * KiB))}--x--`),
  "multipart of a preamble": multipart(`${wide("\r\n--y", 2000 * KiB)}`),
  "multipart of long headers": multipart(`${part(wide("a", 200)).repeat(900)}--x--`),
  "multipart of many header lines": multipart(`--x\r\n${wide("a: b\r\n", 15 * KiB)}\r\n\r\n--x--`.repeat(50)),
  'multipart of \\"': multipart(`${part(wide('\\"', 15 * KiB))}--x--`),
  'multipart of \\" and blanks': multipart(`${part(wide('\\"     ', 15 * KiB))}--x--`),
  "multipart of parameters": multipart(
    `--x\r\nContent-Disposition: form-data${wide("; a=b", 15 * KiB)}\r\n\r\n\r\n--x--`,
  ),
  "page of 2,000 rows": ["/board?rows=2000"],
  "markdown of [": ["/diary", "text=" + wide("[", 20 * KiB)],
  "markdown of > ": ["/diary", "text=" + wide("%3E+", 20 * KiB)],
  "markdown of *": ["/diary", "text=" + wide("*a_", 20 * KiB)],
  "markdown of `": ["/diary", "text=" + Array.from({ length: 190 }, (_, i) => "`".repeat(i)).join("+")],
  "markdown of <": ["/diary", "text=" + wide("%3C", 20 * KiB)],
  "markdown of links": ["/diary", "text=" + wide("[a](", 20 * KiB)],
  "markdown of images": ["/diary", "text=" + wide("![](", 20 * KiB)],
  "markdown of tables": ["/diary", "text=" + wide("|", 5 * KiB) + "%0A" + wide("|-", 10 * KiB)],
  "redirect target": [`/away?to=/${wide("a")}`],
};

const boundMs = 150;

export const complexity = [
  {
    name: `${Object.keys(inputs).length} inputs of the largest size: the loop stalls`,
    bound: `< ${boundMs} ms`,
    run: async ({ server }) => {
      const { port, tell } = server;
      const page = await ask(port, "/desk");
      const cookie = page.headers.get("set-cookie").split(";")[0];
      const token = /value="([\w-]{86})"/.exec(page.body)[1];
      // Warms up first, so that compiling and loading on first use do not count.
      await ask(port, "/diary", form("text=a", { Cookie: cookie, "X-CSRF-Token": token }));
      let worst = { ms: 0, what: "" };
      const failed = [];
      for (const [what, [path, init]] of Object.entries(inputs)) {
        const given = typeof init === "string" ? form(init, { Cookie: cookie, "X-CSRF-Token": token }) : init;
        // A busy machine delays processes too: only an input that is slow in every round, in CPU time, counts.
        let stall = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 3 && stall >= boundMs / 3; round++) {
          await tell("reset");
          const before = await tell("cpu");
          const { status } = await ask(port, path, given);
          stall = Math.min(stall, await tell("stall"), (await tell("cpu")) - before);
          if (status === 0 || status >= 500) failed.push(`${what}: ${status}`);
        }
        if (stall > worst.ms) worst = { ms: stall, what };
      }
      return {
        measured: `${worst.ms.toFixed(0)} ms (${worst.what}) ${failed.join("; ")}`,
        ok: worst.ms < boundMs && failed.length === 0,
      };
    },
  },
  {
    name: "a body of 20,000 chunks of one byte: CPU",
    bound: "< 1 s",
    run: async ({ server: { port, tell } }) => {
      const before = await tell("cpu");
      const results = [];
      for (const [path, type, body] of [
        ["/notes", "application/json", `{"value":"${"a".repeat(20_000)}"}`],
        ["/manifests", "application/x-www-form-urlencoded", `ship=${"a".repeat(20_000)}`],
        ["/photographs", "multipart/form-data; boundary=x", `${part("title", "a".repeat(20_000))}--x--`],
      ]) {
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("");
        results.push((await exchange(port, `${head}${chunks}0\r\n\r\n`, { ms: 10_000 })).text.slice(9, 12));
      }
      const cpu = (await tell("cpu")) - before;
      return {
        measured: `${cpu.toFixed(0)} ms for three, ${results.join(" ")}`,
        ok: cpu < 1000 && !results.includes(""),
      };
    },
  },
];
