import { ask, form } from "../wire.mjs";

async function opened(port) {
  const page = await ask(port, "/desk");
  const cookie = page.headers.get("set-cookie").split(";")[0];
  return { cookie, token: /value="([\w-]{86})"/.exec(page.body)[1] };
}

function attempts(own, other) {
  const { cookie, token } = own;
  const flipped = (text, at) => text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
  const tokens = [
    "",
    "null",
    "0",
    other.token,
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    token.toLowerCase(),
    token.slice(0, 43),
    "A".repeat(86),
    token.slice(43) + token.slice(0, 43),
    cookie.split("=")[1],
    ...[0, 20, 42, 43, 60, 84].map((at) => flipped(token, at)),
  ];
  const cookies = [
    "",
    "fw_csrf=",
    "fw_csrf=A.B",
    other.cookie,
    flipped(cookie, 12),
    flipped(cookie, 60),
    cookie.replace(".", ""),
    `${cookie}.x`,
    `__Host-${cookie}`,
    `fw_csrf=${"A".repeat(43)}.${"A".repeat(43)}`,
    `${other.cookie}; ${cookie}`,
  ];
  const field = (value) => `ship=a&_csrf=${encodeURIComponent(value)}`;
  return [
    form("ship=a", { Cookie: cookie }),
    form(`${field(other.token)}&_csrf=${token}`, { Cookie: cookie }),
    form(field(token)),
    ...tokens.flatMap((value) => [
      form(field(value), { Cookie: cookie }),
      form("ship=a", { Cookie: cookie, "X-CSRF-Token": value }),
      form(field(token), { Cookie: cookie, "X-CSRF-Token": value === "" ? "x" : value }),
    ]),
    ...cookies.map((value) => form(field(token), value === "" ? {} : { Cookie: value })),
    ...["cross-site", "same-site"].map((site) => form(field(token), { Cookie: cookie, "Sec-Fetch-Site": site })),
    ...["https://evil.example", "http://harbour.localhost.evil.example", "http://harbour.localhost:81"].map((origin) =>
      form(field(token), { Cookie: cookie, Origin: origin }),
    ),
    { method: "DELETE", headers: { Cookie: cookie } },
    { method: "DELETE", headers: { Cookie: cookie, "X-CSRF-Token": other.token } },
    {
      method: "POST",
      headers: { Cookie: cookie, "Content-Type": "application/json" },
      body: JSON.stringify({ ship: "a", _csrf: token }),
    },
    { method: "POST", headers: { Cookie: cookie, "Content-Type": "text/plain" }, body: field(token) },
  ];
}

const shown = ({ method, headers, body = "" }) => `${method} ${JSON.stringify(headers)} ${body}`;

export const forms = [
  {
    name: "wrong, stale, borrowed, cross-site form tokens",
    bound: "all refused, no handler runs",
    run: async ({ server, dev }) => {
      const accepted = [];
      let tried = 0;
      for (const { port } of [server, dev]) {
        const [own, other] = [await opened(port), await opened(port)];
        const before = (await ask(port, "/docked")).body;
        for (const attempt of attempts(own, other)) {
          tried++;
          const { status } = await ask(port, "/desk", attempt);
          if (status !== 403 && status !== 415) accepted.push(`${status} ${shown(attempt)}`);
        }
        if ((await ask(port, "/docked")).body !== before) accepted.push("a handler ran");
        // Valid forms must still work.
        const right = await ask(
          port,
          "/desk",
          form(`ship=a&_csrf=${own.token}`, { Cookie: own.cookie, "Sec-Fetch-Site": "same-origin" }),
        );
        if (right.status !== 200) accepted.push(`a good form was answered ${right.status}`);
      }
      return { measured: accepted[0] ?? `${tried} refused`, ok: accepted.length === 0 };
    },
  },
];
