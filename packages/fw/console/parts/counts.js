/** The sections with a count in the navigation, and its tooltip. */
const countLabels = { logs: "errors", messages: "dead messages" };

/** Shows a count next to a section's name; hides 0. */
export function showCount(section, count) {
  const node = document.querySelector(`#sections a[href="#${section}"] .count`);
  node.textContent = count > 0 ? String(count) : "";
  node.title = count > 0 ? countLabels[section] : "";
}
