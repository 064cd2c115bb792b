/** What the names of the tz database with a slash begin with. */
const areas =
  "Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US";

/** The names of the tz database without a slash. It takes none of these back, and gives new zones an area. */
const withoutArea =
  "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel " +
  "Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT " +
  "UTC Universal W-SU WET Zulu";

const firstParts: ReadonlySet<string> = new Set(areas.split(" "));
const names: ReadonlySet<string> = new Set(withoutArea.split(" "));

/**
 * True for a name that the tz database has, or could have in an area of its own. ICU has others: its `BST` is the clock of
 * Bangladesh.
 */
export function isNameOfTz(name: string): boolean {
  const slash = name.indexOf("/");
  return slash === -1 ? names.has(name) : firstParts.has(name.slice(0, slash));
}
