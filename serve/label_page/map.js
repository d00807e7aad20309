// The page's picture with its blocks. Where it shows nothing, below its end or without a picture,
// the blocks' texts are at their positions.

import { el, isDrawn } from "./dom.js";
import { roleClass } from "./keys.js";

const TEXT_PX = 13;

export function createMap(root) {
  let spots = [], chosen = [], map = null;

  function place(element, box, size) {
    ["left", "top", "width", "height"].forEach((side, i) => { element.style[side] = `${(100 * box[i]) / size[i % 2]}%`; });
  }

  function show(page) {
    const { stage: size, picture, picture_size: extent, blocks } = page;
    const end = picture ? extent[1] : -Infinity;
    spots = [];
    chosen = [];
    root.replaceChildren();
    if (!size) return false;
    map = el("div", { className: "map" });
    map.style.aspectRatio = size.join(" / ");
    if (picture) {
      const image = el("img", { src: `data:image/png;base64,${picture}`, alt: "" });
      place(image, [0, 0, ...extent], size);
      map.append(image);
    }
    blocks.forEach((block, number) => {
      if (!isDrawn(block.box)) return;
      const spot = (spots[number] = el("div", { data: { row: number }, textContent: block.box[1] < end ? "" : block.text }));
      spot.style.fontSize = `${(100 * TEXT_PX) / size[0]}cqw`;
      place(spot, block.box, size);
    });
    const area = (number) => blocks[number].box[2] * blocks[number].box[3];
    // Smaller blocks are stacked above larger ones, so that they can be clicked.
    const order = Object.keys(spots).map(Number).sort((a, b) => area(b) - area(a));
    map.append(...order.map((number) => spots[number]));
    root.append(map);
    root.scrollTop = 0;
    return true;
  }

  function paint(number, role) {
    const spot = spots[number];
    if (spot) spot.className = `spot ${roleClass(spot, role)}${chosen.includes(spot) ? " chosen" : ""}`;
  }

  function choose([from, to], at) {
    chosen.forEach((spot) => spot.classList.remove("chosen"));
    chosen = spots.slice(from, to + 1).filter(Boolean);
    chosen.forEach((spot) => spot.classList.add("chosen"));
    const spot = spots[at];
    if (!spot || !map.getClientRects().length) return;
    const outer = root.getBoundingClientRect(), inner = spot.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) root.scrollTop += inner.top - outer.top - outer.height / 3;
  }

  return { show, paint, choose };
}
