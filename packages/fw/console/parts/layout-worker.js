// Computes the layout of a graph outside of the page's thread: a hundred packages that call each other take seconds.

import { place } from "../vendor/layout.js";

/** The width of a frame, in pixels, below which arrows may point downwards instead of to the right. */
const narrowWidth = 600;

addEventListener("message", ({ data }) => postMessage(placeIn(data)));

/** Lays out the graph in the direction that allows the larger scale in the frame. */
function placeIn({ nodes, edges, frame }) {
  const toTheRight = place({ nodes, edges });
  if (frame.width >= narrowWidth) return toTheRight;
  const downwards = { ...place({ nodes, edges, isDownwards: true }), isDownwards: true };
  const scaleOf = ({ width, height }) => Math.min(frame.width / width, frame.height / height);
  return scaleOf(downwards) > scaleOf(toTheRight) ? downwards : toTheRight;
}
