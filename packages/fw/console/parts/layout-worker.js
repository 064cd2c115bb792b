// Places a graph outside of the page's thread: a hundred packages that call each other take seconds.

import { place } from "../vendor/layout.js";

addEventListener("message", ({ data }) => postMessage(place(data)));
