/** A template that cannot be compiled; the walker turns it into a diagnostic at the current node. */
export class TemplateError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
