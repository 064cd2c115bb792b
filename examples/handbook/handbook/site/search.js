// Searches like `fw docs` does. Fetches the index when the user starts to search.
import { countOf, searchOf, wordsOf } from "./rank.js";
import { nearest } from "./suggest.js";

const input = document.getElementById("q");
const results = document.getElementById("results");
const summary = document.getElementById("found");
const mostShown = 12;

/** The number of characters of a section that a result shows. */
const excerptLength = 110;

let searchIndex;

async function loadIndex() {
  const sections = await (await fetch("/search.json")).json();
  return searchOf(
    sections.map((section) => ({ ...section, isRule: section.url.startsWith("/docs/rules/") })),
    nearest,
  );
}

/** Returns the summary of a page if it contains one of the words, otherwise the text around the first match. */
function excerptOf({ about = "", text }, words) {
  if (words.some((word) => countOf(wordsOf(about), word) > 0)) return about;
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place !== -1);
  const first = Math.max(0, Math.min(...places, text.length) - excerptLength / 3);
  const start = first === 0 ? 0 : text.indexOf(" ", first) + 1;
  const part = text.slice(start, start + excerptLength).replace(/\s+\S*$/, "");
  return `${start > 0 ? "… " : ""}${part} …`;
}

function resultOf(entry, words) {
  const { url, title, section } = entry;
  const link = document.createElement("a");
  link.href = url;
  link.textContent = section === "" ? title : `${title}: ${section}`;
  const excerpt = document.createElement("span");
  excerpt.textContent = excerptOf(entry, words);
  link.append(excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

async function search() {
  searchIndex ??= await loadIndex();
  const { sections, stems, corrections } = searchIndex(input.value);
  const isEmpty = input.value.trim() === "";
  results.hidden = sections.length === 0;
  results.replaceChildren(...sections.slice(0, mostShown).map((section) => resultOf(section, stems)));
  summary.textContent = isEmpty ? "" : summaryOf(sections.length, corrections);
}

function summaryOf(number, corrections) {
  const replaced = [...corrections].map(([word, similar]) => ` for ${similar} instead of ${word}`).join(",");
  return `${number === 1 ? "1 section fits" : `${number} sections fit`}${replaced}`;
}

input.addEventListener("input", () => void search());
addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  event.preventDefault();
  input.focus();
});

// The list of pages is taller than most windows, so scroll it to the entry of this page.
const pages = document.getElementById("pages");
const own = pages.querySelector("[aria-current]");
function showOwnEntry() {
  if (own) pages.scrollTop = own.offsetTop - pages.clientHeight / 2;
}
showOwnEntry();
pages.addEventListener("toggle", showOwnEntry);
