/** Returns markdown of about `size` characters that slows down careless parsers. */
export function hostileMarkdown(size: number): [name: string, text: string][] {
  const filled = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  return [...repeated.map((unit): [string, string] => [unit, filled(unit)]), ...shaped(size, filled)];
}

const repeated = [
  ..."> |>|[|[a](|![[|[a](b |[a]|`a``|*|_|*a _b |a**b|_*_ |~~a~|~|_a |*a **b |]|\\|*[a](`b|# |- |1. |--- |...".split(
    "|",
  ),
  ...'<div>|<b>|<b |<a href="|<a a=b |<!--|<?|<![CDATA[|</b>|<b><i><u>|<table><tr><td>|<ul><li>|<svg><b>|<p style="a:b;'.split(
    "|",
  ),
  ..."&|&amp|&#1|<http://a|http://a.b |a@b.|www.a.b(|http://|a.b/(|\"'|\0|<<|<a<".split("|"),
  "[a]: b\n",
  "|a|b|\n|-|-|\n",
  "# a\n",
  "\t- ",
  "```\n",
  "\\\n",
  "\n",
  " ",
  "1.\n",
  "a\n=\n",
  "- a\n\n  ",
  "<div>\n\n",
];

function shaped(size: number, filled: (unit: string) => string): [string, string][] {
  const rows = filled("x\n");
  const lines = (line: (i: number) => string): string => {
    let text = "";
    for (let i = 1; text.length < size; i++) text += `${line(i)}\n`;
    return text.slice(0, size);
  };
  return [
    ["many brackets, one end", `${filled("[")}]`],
    ["an unfinished destination", `[a](${filled("(")}`],
    ["an unfinished label", `[${filled("a\\]")}`],
    ["an angle destination", `[a](<${filled("<")}`],
    ["growing code spans", lines((i) => "`".repeat(i % 200))],
    ["ever deeper lists", lines((i) => `${" ".repeat(i % 200)}- a`)],
    ["a table of wide rows", `${"|a".repeat(size / 4)}\n${"|-".repeat(size / 4)}`],
    ...[10, 65, 300, 1000].map((columns): [string, string] => [
      `short rows in ${columns} columns`,
      `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${rows}`.slice(0, size),
    ]),
    ["a tag of many attributes", `<a ${filled("a='b' ")}>`],
    ["a long tag name", `<${filled("a")}`],
    ["a long data image", `![a](data:image/png;base64,${filled("A")})`],
    [
      "many definitions, many uses",
      `${lines((i) => `[${i}]: x`).slice(0, size / 2)}\n${lines((i) => `[${i}]`).slice(0, size / 2)}`,
    ],
  ];
}
