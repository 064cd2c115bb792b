// Places a graph outside of the page's thread: a hundred packages that call each other take seconds.

import { place } from "../vendor/layout.js";

/** Pixels of a frame below which arrows may lead downwards instead of to the right. */
const narrowWidth = 600;

addEventListener("message", ({ data }) => postMessage(placeIn(data)));

/** Places the graph in the direction in which more of it is legible in the frame. */
function placeIn({ nodes, edges, frame }) {
  const toTheRight = place({ nodes, edges });
  if (frame.width >= narrowWidth) return toTheRight;
  const downwards = { ...place({ nodes, edges, isDownwards: true }), isDownwards: true };
  const scaleOf = ({ width, height }) => Math.min(frame.width / width, frame.height / height);
  return scaleOf(downwards) > scaleOf(toTheRight) ? downwards : toTheRight;
}
