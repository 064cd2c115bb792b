// Finds sections that contain every word. The index is fetched when the user starts to search.
const input = document.getElementById("q");
const results = document.getElementById("results");
const found = document.getElementById("found");
const mostShown = 12;
let index;

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  index ??= (await (await fetch("/search.json")).json()).map((entry) => ({
    ...entry,
    head: `${entry.title} ${entry.section}`.toLowerCase(),
    all: `${entry.title} ${entry.section} ${entry.text}`.toLowerCase(),
  }));
  const fits = words.length === 0 ? [] : index.filter(({ all }) => words.every((word) => all.includes(word)));
  const rank = ({ head }) => words.filter((word) => !head.includes(word)).length;
  const shown = fits.toSorted((a, b) => rank(a) - rank(b)).slice(0, mostShown);
  results.hidden = shown.length === 0;
  results.replaceChildren(
    ...shown.map(({ url, title, section }) => {
      const link = document.createElement("a");
      link.href = url;
      link.textContent = section === "" ? title : `${title}: ${section}`;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  if (words.length === 0) found.textContent = "";
  else found.textContent = fits.length === 1 ? "1 section fits" : `${fits.length} sections fit`;
}

input.addEventListener("input", () => void search());
addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  event.preventDefault();
  input.focus();
});
