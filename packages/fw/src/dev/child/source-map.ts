import { SourceMap, type SourceMapPayload } from "node:module";

/** The fields of a source map that are needed to compose it. */
export interface Map3 {
  readonly version: number;
  readonly mappings: string;
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly names?: readonly string[];
}

/** Composes two source maps: `second` maps to the text that `first` maps to the source. */
export function composeMaps(first: Map3, second: Map3, path: string, source: string): SourceMapPayload {
  const inner = new SourceMap(payload(first));
  const lines = decodeMappings(second.mappings).map((segments) =>
    segments.flatMap((segment): Segment[] => {
      const origin = inner.findEntry(segment.line, segment.column);
      if (!("originalLine" in origin)) return [];
      return [{ generated: segment.generated, line: origin.originalLine, column: origin.originalColumn }];
    }),
  );
  return payload({ version: 3, mappings: encodeMappings(lines), sources: [path], sourcesContent: [source] });
}

export function originalMap(map: Map3, path: string, source: string): SourceMapPayload {
  return payload({ ...map, sources: [path], sourcesContent: [source] });
}

function payload(map: Map3): SourceMapPayload {
  return {
    file: "",
    version: map.version,
    sources: [...map.sources],
    sourcesContent: (map.sourcesContent ?? []).map((text) => text ?? ""),
    names: [...(map.names ?? [])],
    mappings: map.mappings,
    sourceRoot: "",
  };
}

interface Segment {
  readonly generated: number;
  readonly line: number;
  readonly column: number;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf = new Uint8Array(128);
for (let i = 0; i < digits.length; i++) valueOf[digits.charCodeAt(i)] = i;

function decodeMappings(mappings: string): Segment[][] {
  let line = 0;
  let column = 0;
  return mappings.split(";").map((text) => {
    let generated = 0;
    const segments: Segment[] = [];
    for (const vlq of text.split(",")) {
      const fields = decodeVlq(vlq);
      generated += fields[0] ?? 0;
      if (fields.length < 4) continue;
      line += fields[2] ?? 0;
      column += fields[3] ?? 0;
      segments.push({ generated, line, column });
    }
    return segments;
  });
}

function decodeVlq(text: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = valueOf[text.charCodeAt(i)] ?? 0;
    value |= (digit & 31) << shift;
    if (digit & 32) {
      shift += 5;
      continue;
    }
    values.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return values;
}

function encodeMappings(lines: readonly (readonly Segment[])[]): string {
  let line = 0;
  let column = 0;
  return lines
    .map((segments) => {
      let generated = 0;
      return segments
        .map((segment) => {
          const fields = [segment.generated - generated, 0, segment.line - line, segment.column - column];
          ({ generated, line, column } = segment);
          return fields.map(encodeVlq).join("");
        })
        .join(",");
    })
    .join(";");
}

function encodeVlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
