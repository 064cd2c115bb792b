/** Gathers the body of one compiled function: text and values to add to `o`, and statements between them. */
export interface Emitter {
  literal(text: string): void;
  /** A JavaScript expression whose string is added. */
  value(expression: string): void;
  statement(line: string): void;
  /** The statements so far. */
  end(): string;
}

export function createEmitter(): Emitter {
  const lines: string[] = [];
  let parts: string[] = [];
  let text = "";
  const endText = () => {
    if (text !== "") parts.push(JSON.stringify(text));
    text = "";
  };
  const flush = () => {
    endText();
    if (parts.length > 0) lines.push(`o += ${parts.join(" + ")};`);
    parts = [];
  };
  return {
    literal: (more) => void (text += more),
    value: (expression) => {
      endText();
      parts.push(expression);
    },
    statement: (line) => {
      flush();
      lines.push(line);
    },
    end: () => {
      flush();
      return lines.join("\n");
    },
  };
}
