// Ranks sections that contain every word; if there is none, those that contain most. The index is fetched when the user
// starts to search.
const input = document.getElementById("q");
const results = document.getElementById("results");
const summary = document.getElementById("found");
const mostShown = 12;

/** Words without a subject; a search ignores them unless it has no other. */
const fillers = new Set("a an and at by can do for from how i in is it my of on or the to what with".split(" "));

/** The weights of a word in the title of a page and in the heading of a section, relative to one in the text. */
const titleWeight = 1.5;
const headingWeight = 2;

/** The weight of pages of rules, which people reach from the message of a problem. */
const ruleWeight = 0.6;

/** Characters of a section that a result shows. */
const excerptLength = 110;

let index;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const has = ({ title, heading, text }) => title + heading + text > 0;
const count = (words, start) => words.filter((word) => word.startsWith(start)).length;

async function loadIndex() {
  const entries = await (await fetch("/search.json")).json();
  return entries.map((entry) => ({
    ...entry,
    titleWords: wordsOf(entry.title),
    headingWords: wordsOf(`${entry.section || entry.title} ${entry.about ?? ""}`),
    textWords: wordsOf(entry.text),
  }));
}

/** The stems of the words that the user typed: `retries` finds `retry`, and `files` finds `file`. */
function searchedWords() {
  const words = wordsOf(input.value);
  const subjects = words.filter((word) => !fillers.has(word));
  return (subjects.length > 0 ? subjects : words).map((word) =>
    word.length > 3 ? word.replace(/(?:ies|[sy])$/, "") : word,
  );
}

/** Ranks by where words stand, how often, and how rare they are, as search engines do (BM25). */
function rank(entries, words) {
  const averageLength = entries.reduce((sum, { textWords }) => sum + textWords.length, 0) / entries.length;
  const rows = entries.map((entry) => ({
    entry,
    counts: words.map((word) => ({
      title: count(entry.titleWords, word),
      heading: count(entry.headingWords, word),
      text: count(entry.textWords, word),
    })),
  }));
  const rarity = words.map((_word, i) => {
    const matching = rows.filter(({ counts }) => has(counts[i])).length;
    return Math.log(1 + entries.length / (1 + matching));
  });
  const scoreOf = ({ entry, counts }) => {
    const weight = entry.url.startsWith("/docs/rules/") ? ruleWeight : 1;
    const scores = counts.map(({ title, heading, text }, i) => {
      const density = text / (text + 0.5 + entry.textWords.length / averageLength);
      return rarity[i] * ((title > 0 ? titleWeight : 0) + (heading > 0 ? headingWeight : 0) + density);
    });
    return weight * scores.reduce((sum, score) => sum + score, 0);
  };
  const most = Math.max(1, ...rows.map(({ counts }) => counts.filter(has).length));
  return rows
    .filter(({ counts }) => counts.filter(has).length === most)
    .map((each) => ({ entry: each.entry, score: scoreOf(each) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** The summary of a page that has one of the words, otherwise the part of the text around the first of the words. */
function excerptOf({ about = "", text }, words) {
  if (words.some((word) => count(wordsOf(about), word) > 0)) return about;
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
  index ??= await loadIndex();
  const words = searchedWords();
  const fits = words.length === 0 ? [] : rank(index, words);
  results.hidden = fits.length === 0;
  results.replaceChildren(...fits.slice(0, mostShown).map((entry) => resultOf(entry, words)));
  if (words.length === 0) summary.textContent = "";
  else summary.textContent = fits.length === 1 ? "1 section fits" : `${fits.length} sections fit`;
}

input.addEventListener("input", () => void search());
addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  event.preventDefault();
  input.focus();
});

// The list of pages is longer than most windows: begin at the entry of this page.
const pages = document.getElementById("pages");
const own = pages.querySelector("[aria-current]");
function showOwnEntry() {
  if (own) pages.scrollTop = own.offsetTop - pages.clientHeight / 2;
}
showOwnEntry();
pages.addEventListener("toggle", showOwnEntry);
