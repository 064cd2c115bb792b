/** What the sections say beside their names, and of what. */
const what = { logs: "errors", messages: "dead messages" };

/** Shows how many there are; nothing where there is none. */
export function showCount(section, count) {
  const node = document.querySelector(`#sections a[href="#${section}"] .count`);
  node.textContent = count > 0 ? String(count) : "";
  node.title = count > 0 ? what[section] : "";
}
