import type { Context } from "./context.ts";
import { Refusal } from "./refusal.ts";

const runsCode: ReadonlySet<string> = new Set(["javascript", "vbscript", "data"]);

type URLState = Pick<Context, "url" | "head">;

/** Follows literal text of a URL. */
export function scanURL(text: string, from: URLState): URLState {
  let state = from;
  for (let at = 0; at < text.length; at++) state = step(text.charAt(at), state);
  return state;
}

function step(character: string, state: URLState): URLState {
  switch (state.url) {
    case "start":
    case "scheme":
      return literalStart(character, state);
    case "dynamic":
      return afterData(character, state);
    case "slash":
    case "path":
      return /[?#]/.test(character) ? { url: "query", head: "" } : { url: "path", head: "" };
    case "mixed":
      return /[?#]/.test(character) ? { url: "query", head: "" } : state;
    default:
      return state;
  }
}

function literalStart(character: string, { url, head }: URLState): URLState {
  // Browsers skip controls within a scheme, and spaces before it.
  if (character <= " ") return { url, head };
  if (character === "/") return { url: head === "" ? "slash" : "path", head: "" };
  if (/[?#]/.test(character)) return { url: "query", head: "" };
  if (character !== ":") return { url: "scheme", head: head + character.toLowerCase() };
  return { url: runsCode.has(head) ? "unsafe" : "path", head: "" };
}

function afterData(character: string, state: URLState): URLState {
  if (character === ":") {
    throw new Refusal(
      "this : would let data choose the URL's scheme",
      "write the scheme in the template, or pass the whole URL",
    );
  }
  if (character === "/") return { url: "path", head: "" };
  return /[?#&=]/.test(character) ? { url: "query", head: "" } : state;
}

/** Follows the content of a `<meta http-equiv=refresh>`: a delay, then a URL. */
export function scanRefresh(text: string, from: URLState): URLState {
  if (from.url !== "delay") return scanURL(text, from);
  const url = /[;,]\s*(?:url\s*=\s*)?['"]?/i.exec(text);
  return url === null ? from : scanURL(text.slice(url.index + url[0].length), { url: "start", head: "" });
}

/** The state after a value from data. */
export function afterURLValue(state: URLState): URLState {
  switch (state.url) {
    case "start":
    case "scheme":
      return { url: "dynamic", head: "" };
    case "slash":
      return { url: "path", head: "" };
    default:
      return state;
  }
}
