import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseDate } from "./rfc3339.ts";

test.each([
  ["1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"],
  ["1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"],
  ["1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"],
  ["2000-02-29t00:00:00z", "2000-02-29T00:00:00.000Z"],
  ["2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ["2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00.000Z"],
  ["2024-01-01T23:59:00+23:59", "2024-01-01T00:00:00.000Z"],
])("%s is a timestamp", (text, iso) => expect(parseDate(text)?.toISOString()).toBe(iso));

test.each([
  "",
  "2024-01-01",
  "2024-01-01T00:00Z",
  "2024-01-01T00:00:00",
  "2024-01-01 00:00:00Z",
  "2024-1-1T00:00:00Z",
  "2024-00-01T00:00:00Z",
  "2024-13-01T00:00:00Z",
  "2024-01-00T00:00:00Z",
  "2024-04-31T00:00:00Z",
  "2023-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2024-01-01T24:00:00Z",
  "2024-01-01T00:60:00Z",
  "1990-12-31T23:59:60Z",
  "2024-01-01T00:00:00.Z",
  "2024-01-01T00:00:00,5Z",
  "2024-01-01T00:00:00+24:00",
  "2024-01-01T00:00:00+0100",
  "2024-01-01T00:00:00Z ",
  "２０24-01-01T00:00:00Z",
  "+002024-01-01T00:00:00Z",
])("%s is none", (text) => expect(parseDate(text)).toBeUndefined());

test("every date that is sent comes back the same", () => {
  const dates = fc.date({
    min: new Date("0000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      expect(parseDate(date.toISOString())).toEqual(date);
    }),
  );
});

test("a month has its days, in leap years too", () => {
  const wrong: string[] = [];
  for (const year of [2024, 2026, 2000, 1900])
    for (let month = 1; month <= 12; month++)
      for (let day = 0; day <= 33; day++) {
        const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}T00:00:00Z`;
        const isDay = day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
        if ((parseDate(text) !== undefined) !== isDay) wrong.push(text);
      }
  expect(wrong).toEqual([]);
});
