import { expect, test } from "vitest";
import { indexTexts, searchedFields, searchProperty, termRule } from "./derived-indexes.ts";
import { indexedTerms, searchedTerms, wordsOf } from "./search-terms.ts";

test.each([
  ["Hello, World! 42", ["hello", "world", "42"]],
  ["Crème Brûlée", ["creme", "brulee"]],
  ["Straße STRASSE", ["strasse", "strasse"]],
  ["ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]],
  ["İstanbul ısı", ["istanbul", "isi"]],
  ["Øresund Łódź Þór Æ", ["oresund", "lodz", "thor", "ae"]],
  ["don't l'eau a_b x2y", ["don", "t", "l", "eau", "a", "b", "x2y"]],
  ["東京タワー3階", ["東京タワー", "3", "階"]],
  ["お茶、ｶﾞﾗｽ", ["お茶", "ガラス"]],
  ["iPhoneを買う ภาษาไทย", ["iphone", "を買う", "ภาษาไทย"]],
  ["東".repeat(40), ["東".repeat(40)]],
  ["ｆｕｌｌ ﬁne", ["full", "fine"]],
  ["한국어 데이터", ["한국어", "데이터"]],
  ["שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]],
  ["हिन्दी", ["हिन्दी"]],
  ["a\ud800b 😀 \0", ["a", "b"]],
  ["❤️ 🅰️", []],
  ["I ❤️ 1️⃣", ["i", "1"]],
  ["hy\u00adphen \u202eabc\u202c", ["hyphen", "abc"]],
  ["ශ්\u200dරී", ["ශ්රී"]],
  ["می\u200cخواهم a\u200bb", ["می", "خواهم", "a", "b"]],
  ["\u0940 ゛", []],
  ["", []],
  ["x".repeat(40), ["x".repeat(24)]],
])("the words of %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a text of marks in the wrong order takes no quadratic time", () => {
  // Without a limit, this would take a minute.
  expect(wordsOf("a" + "\u0301\u0327".repeat(300_000))).toEqual(["a"]);
  expect(wordsOf("ｶ" + "\uff9e\u0327".repeat(300_000)).length).toBe(1);
});

test("a text has a term for each word and each beginning of a word", () => {
  expect(indexedTerms("Red so")).toEqual(["r", "re", "red", "red.", "s", "so", "so."]);
  expect(searchedTerms(["red", "s"])).toEqual(["red.", "s"]);
});

test("a text without spaces has a term for each character and each pair of neighbors", () => {
  expect(indexedTerms("東京都、京")).toEqual(["東", "京", "都", "東京", "京都"]);
  expect(searchedTerms(wordsOf("ပြည်သူ"))).toEqual(["ပြည်", "ည်သူ"]);
  expect(searchedTerms(wordsOf("京都"))).toEqual(["京都"]);
  expect(searchedTerms(wordsOf("東京都に red 都 東京"))).toEqual(["東京", "京都", "都に", "red.", "都"]);
});

test("the first rule for terms has one for each character, which code of that time searches for", () => {
  expect(indexedTerms("東京 so", 1)).toEqual(["東", "東.", "京", "京.", "s", "so", "so."]);
});

test("the name of the property says which fields it is of", () => {
  expect(searchProperty(["title", "note"])).toBe("@search2:note:title");
  expect(searchedFields("@search2:note:title")).toEqual(["note", "title"]);
  expect(searchedFields("@search1:note:title")).toEqual(["note", "title"]);
  expect([termRule("@search1:note"), termRule("@search2:note"), termRule("@search3:note")]).toEqual([1, 2, undefined]);
  expect(searchedFields(searchProperty(["b.c", "a:b", "%3a"]))).toEqual(["%3a", "a:b", "b.c"]);
  expect(searchedFields("title")).toBeUndefined();
});

test("a composite index names the fields whose words it has", () => {
  const order = { field: "at", direction: "desc" };
  const words = { field: searchProperty(["title", "a:b"]), direction: "asc" };
  expect(indexTexts([words, order])).toEqual(["words of a:b and title", "at desc"]);
});
