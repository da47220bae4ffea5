// Colours of classes, and pictures of neurons and samples.

// After Paul Tol's "muted" scheme, which most colour-blind people can tell apart. The text says the rest.
const LIGHT = ["#332288", "#c0504d", "#117733", "#9a7400", "#1f78a8", "#882255", "#2a8a7c", "#aa4499", "#666633", "#7a3f12", "#d6006c"];
const DARK = ["#a99cf5", "#ff9c8f", "#6fd08c", "#f0d060", "#88ccee", "#f083b0", "#5fd6c2", "#e39be0", "#c9c96a", "#e0a878", "#ff6fc4"];

export const dark = () => document.documentElement.dataset.theme === "dark";
const styles = new Map(); // asking the browser each time is slow
export const style = name => {
  if (!styles.has(name)) styles.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return styles.get(name);
};
export function theme(name) {
  document.documentElement.dataset.theme = name;
  styles.clear();
}
export const colour = place => place < 0 ? style("--soft") : (dark() ? DARK : LIGHT)[place % LIGHT.length];
export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
export const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
export const pixels = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

// A grey picture as ink of a colour on the page's paper.
export function inked(bytes, [height, width], hex) {
  const image = new ImageData(width, height), paper = rgb(dark() ? "#14171a" : "#ffffff"), ink = rgb(hex);
  for (let i = 0; i < bytes.length; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = paper[c] + (ink[c] - paper[c]) * bytes[i] / 255;
    image.data[4 * i + 3] = 255;
  }
  return image;
}

export function paint(canvas, bytes, shape, hex = style("--ink")) {
  [canvas.height, canvas.width] = shape;
  canvas.style.imageRendering = "pixelated";
  canvas.getContext("2d").putImageData(inked(bytes, shape, hex), 0, 0);
}

// A canvas as sharp as the screen; what is drawn on it counts in CSS pixels.
export function sharp(canvas) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  [canvas.width, canvas.height] = [box.width * ratio, box.height * ratio].map(Math.round);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "12px system-ui, sans-serif";
  return [context, box.width, box.height];
}
