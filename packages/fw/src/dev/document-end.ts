/** Puts what belongs to the loop at the end of a document, where nothing of the page's own waits for it. */
export function atDocumentEnd(html: string, markup: string): string {
  const end = html.lastIndexOf("</body>");
  return end === -1 ? html + markup : html.slice(0, end) + markup + html.slice(end);
}
