/** The tooltips of the counts in the navigation, by section. */
const countLabels = { logs: "errors", messages: "dead messages" };

/** Shows a count next to a section's name; hides 0. Does nothing for a section that the server does not offer. */
export function showCount(section, count) {
  const node = document.querySelector(`#sections a[href="#${section}"] .count`);
  if (!node) return;
  node.textContent = count > 0 ? String(count) : "";
  node.title = count > 0 ? countLabels[section] : "";
}
