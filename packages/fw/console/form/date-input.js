import { h } from "../parts/elements.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns a date in the format of a local date input; undefined if the input cannot show it. */
export function localText(value) {
  const date = new Date(value);
  const year = date.getFullYear();
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || !(year >= 1 && year <= 9999)) return undefined;
  const two = (number, width = 2) => String(number).padStart(width, "0");
  const day = `${two(year, 4)}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const milliseconds = date.getMilliseconds();
  const seconds = two(date.getSeconds()) + (milliseconds === 0 ? "" : `.${two(milliseconds, 3)}`);
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** Creates an input for a date in the user's time zone. Its note names the zone and the value to store. */
export function dateInput({ value }) {
  const input = h("input", { type: "datetime-local", step: value?.includes(".") ? "0.001" : "1" });
  if (value !== undefined) input.value = localText(value);
  const shownText = input.value;
  // Return an unchanged value as is: conversion could change its notation or, when clocks go back, its instant.
  const read = () => {
    if (input.value === shownText) return value;
    return input.value === "" ? undefined : new Date(input.value).toISOString();
  };
  return { node: input, input, read, note: () => `time in ${zone}; stored as ${read() ?? "nothing yet"}` };
}
