import { randomUUID } from "node:crypto";

/** Normalizes line endings, which differ between browsers. */
export function tidy(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

/** Returns the hashtags in a text, without the #. */
export function tagsOf(body: string): string[] {
  return [...new Set([...body.matchAll(/(?<=^|\s)#([a-z][a-z0-9-]*)/g)].map((match) => match[1] ?? ""))];
}

/** The maximum number of distinct words to index per note. */
const mostWords = 1000;

/** Returns the distinct words in a text, in lower case. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
  return [...new Set(words)].slice(0, mostWords);
}

/** Matches markdown syntax: table rows, quote and list markers, tags and the remaining punctuation. */
const markup = /^\|.*$|^\s*(?:>|[-*]|\d+\.)\s+(?:\[[ x]\]\s)?|(?<=^|\s)#[a-z][a-z0-9-]*|[#*_`>[\]]/gm;

/** Returns the start of the text without markup, and its number of words. */
export function excerptOf(body: string): { excerpt: string; length: number } {
  const plain = body.replaceAll(markup, "").replaceAll(/\s+/g, " ").trim();
  const excerpt = plain.length > 140 ? `${plain.slice(0, 140).trimEnd()}…` : plain;
  return { excerpt, length: plain.split(" ").filter(Boolean).length };
}

/** Creates a slug from a title. */
export function slugOf(title: string): string {
  const plain = title.normalize("NFKD").toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, 60);
  return slug.replace(/^-/, "").replace(/-$/, "") || `note-${shortId()}`;
}

export function shortId(): string {
  return randomUUID().slice(0, 6);
}

export function day(date: Date): string {
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

export function minute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
