// The neurons of a network side by side, and to whom they belong.
import { colour, inked, make, sharp, style } from "./pictures.js";

const GAP = 2, FADE = 450;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Grid {
  constructor(figure, choose) {
    this.caption = make("figcaption");
    this.canvas = make("canvas", { className: "grid", tabIndex: 0, role: "application" });
    this.bar = make("canvas", { className: "owners", role: "img" });
    figure.append(this.caption, this.canvas, this.bar);
    [this.choose, this.pictures, this.sheet] = [choose, [], make("canvas")];
    this.canvas.addEventListener("click", event => {
      const box = this.canvas.getBoundingClientRect(), side = box.width / this.columns;
      this.pick(Math.floor((event.clientY - box.top) / side / this.ratio) * this.columns
        + Math.floor((event.clientX - box.left) / side));
    });
    this.canvas.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.pick(this.chosen < 0 ? 0 : this.chosen + step);
    });
  }

  pick(neuron) {
    if (neuron < 0 || neuron >= this.owners.length) return;
    this.chosen = neuron;
    this.choose(neuron);
    this.draw();
  }

  update(head, shape, classes, owners, flags, rows, pictures) {
    const n = head.neurons, size = shape[0] * shape[1], now = performance.now();
    if (this.since !== head.since) { // another network
      this.pictures = new Array(n);
      [this.since, this.shape, this.columns, this.chosen] = [head.since, shape, Math.ceil(Math.sqrt(n)), -1];
      this.fired = new Float64Array(n).fill(-1e9);
      this.imprinted = new Float64Array(n).fill(-1e9);
      this.owners = new Int16Array(n).fill(-2);
      this.ratio = (shape[0] + GAP) / (shape[1] + GAP);
      this.sheet.width = this.columns * (shape[1] + GAP);
      this.sheet.height = Math.ceil(n / this.columns) * (shape[0] + GAP);
      this.canvas.style.aspectRatio = `${this.sheet.width} / ${this.sheet.height}`;
    }
    const stale = new Set(rows);
    rows.forEach((neuron, at) => { this.pictures[neuron] = pictures.subarray(at * size, (at + 1) * size); });
    owners.forEach((owner, neuron) => {
      if (owner !== this.owners[neuron]) stale.add(neuron);
      if (flags[neuron] & 1 && !calm.matches) this.fired[neuron] = now;
      if (flags[neuron] & 2) this.imprinted[neuron] = now;
    });
    [this.owners, this.classes, this.head] = [owners, classes, head];
    this.ink(stale);
    this.caption.textContent = head.title + (head.layered ? ". A neuron is shown as the test sample most like it." : "");
    this.canvas.ariaLabel = `Neurons of ${head.title}. Arrow keys choose one.`;
    this.drawOwners();
    this.draw();
  }

  ink(neurons = this.pictures.keys()) {
    const context = this.sheet.getContext("2d"), [height, width] = this.shape;
    for (const neuron of neurons) {
      if (!this.pictures[neuron]) continue;
      const [x, y] = [neuron % this.columns, Math.floor(neuron / this.columns)];
      context.putImageData(inked(this.pictures[neuron], this.shape, colour(this.owners[neuron])),
        x * (width + GAP) + 1, y * (height + GAP) + 1);
    }
  }

  draw() {
    clearTimeout(this.waiting);
    const [context, width, height] = sharp(this.canvas);
    if (!this.shape || !width) return;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.sheet, 0, 0, width, height);
    const side = width / this.columns, tall = side * this.ratio, now = performance.now();
    const [ink, novel] = [style("--ink"), style("--novel")];
    context.font = `600 ${Math.min(12, side / 2.6)}px system-ui, sans-serif`;
    context.textBaseline = "top";
    let moving = false;
    const frame = (x, y, colour, line, alpha) => {
      [context.strokeStyle, context.lineWidth, context.globalAlpha] = [colour, line, alpha];
      context.strokeRect(x + line / 2, y + line / 2, side - line, tall - line);
      context.globalAlpha = 1;
    };
    for (let neuron = 0; neuron < this.owners.length; neuron++) {
      const x = (neuron % this.columns) * side, y = Math.floor(neuron / this.columns) * tall;
      if (side > 25 && this.owners[neuron] >= 0) {
        context.fillStyle = colour(this.owners[neuron]);
        context.fillText(this.classes[this.owners[neuron]].slice(0, 3), x + 2, y + 1);
      }
      const fired = 1 - (now - this.fired[neuron]) / FADE, novelty = 1 - (now - this.imprinted[neuron]) / (2 * FADE);
      if (fired > 0) frame(x, y, ink, 1, fired);
      if (novelty > 0) frame(x, y, novel, 3, novelty);
      if (neuron === this.chosen) frame(x, y, style("--accent"), 3, 1);
      moving ||= fired > 0 || novelty > 0;
    }
    if (moving) this.waiting = setTimeout(() => this.draw(), 120); // unless a frame comes before
  }

  drawOwners() {
    const [context, width, height] = sharp(this.bar), n = this.head.neurons, words = [];
    context.textBaseline = "middle";
    let x = 0;
    this.head.owned.forEach((owned, place) => {
      const wide = width * owned / n;
      context.fillStyle = colour(place);
      context.fillRect(x, 0, Math.max(wide - 1, 0), height);
      context.fillStyle = style("--paper");
      const text = this.classes[place];
      if (context.measureText(text).width + 6 < wide) context.fillText(text, x + 4, height / 2 + 1);
      if (owned) words.push(`${text}: ${owned}`);
      x += wide;
    });
    this.bar.ariaLabel = `Who owns the neurons. ${words.join(", ") || "Nobody yet"}`;
  }
}
