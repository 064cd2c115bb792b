/** Escapes code as HTML, with a class for comments, strings, keywords and type names. */
export function highlight(code, info) {
  const [language = ""] = info.split(" ");
  const words = languages[language] ?? languages.text;
  return code.replaceAll(words, (match, ...groups) => {
    const kind = Object.entries(groups.at(-1) ?? {}).find(([, text]) => text !== undefined)?.[0];
    return kind === undefined || kind === "other" ? escape(match) : `<span class="${kind}">${escape(match)}</span>`;
  });
}

const strings = String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${"`"}(?:\\.|[^${"`"}\\])*${"`"})`;
const keywords =
  "import|export|from|type|const|let|return|async|await|interface|extends|if|else|for|of|in|new|throw|try|catch|using|class|function|as|readonly|true|false|undefined|null";
const script = new RegExp(
  String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|${strings}|(?<keyword>\b(?:${keywords})\b)|(?<name>\b[A-Z]\w*\b)|(?<other>[\s\S])`,
  "g",
);
const shell =
  /(?<comment>#[^\n]*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<keyword>(?<=^|\n)(?:npm|npx|fw|curl|cd|node)\b)|(?<other>[\s\S])/g;
const markup =
  /(?<comment><!--[\s\S]*?-->)|(?<name>\{\{[\s\S]*?\}\})|(?<string>"[^"\n]*")|(?<keyword><\/?[\w-]+|>)|(?<other>[\s\S])/g;
const text = /(?<other>[\s\S])/g;

const languages = { ts: script, js: script, json: script, sh: shell, html: markup, text };

function escape(source) {
  return source.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
