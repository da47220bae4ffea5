// The drawing pad: strokes from a pointer or from keys, and the drawing as the data set would show it.
import { sharp, style } from "./pictures.js";

const SIZE = 280, STEP = 14;

export class Pad {
  constructor(canvas, enter) {
    this.canvas = canvas;
    this.clear();
    const at = event => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width * SIZE, (event.clientY - box.top) / box.height * SIZE];
    };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      this.begin(at(event));
      this.drawing = true;
    });
    canvas.addEventListener("pointermove", event => { if (this.drawing) this.go(at(event)); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { this.drawing = false; });
    canvas.addEventListener("keydown", event => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const move = moves[event.key];
      if (move) {
        this.pen = this.pen.map((value, axis) => Math.min(Math.max(value + STEP * move[axis], 0), SIZE));
        this.down ? this.go(this.pen) : this.draw();
      } else if (event.key === " ") {
        this.down = !this.down;
        this.down ? this.begin(this.pen) : this.draw();
      } else if (event.key === "Delete" || event.key === "Backspace") this.clear();
      else if (event.key === "Enter") enter();
      else return;
      event.preventDefault();
    });
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  begin(point) { this.strokes.push([point]); this.draw(); }

  go(point) { this.strokes.at(-1).push(point); this.draw(); }

  clear() {
    [this.strokes, this.pen, this.down, this.drawing] = [[], [SIZE / 2, SIZE / 2], false, false];
    this.draw();
  }

  stroke(context, line, x, y, scale) {
    context.lineCap = context.lineJoin = "round";
    context.lineWidth = line;
    for (const points of this.strokes) {
      context.beginPath();
      points.forEach(([px, py]) => context.lineTo((px - x) * scale, (py - y) * scale));
      if (points.length === 1) context.lineTo((points[0][0] - x) * scale + 0.1, (points[0][1] - y) * scale);
      context.stroke();
    }
  }

  draw() {
    const [context, width] = sharp(this.canvas);
    context.strokeStyle = style("--ink");
    this.stroke(context, 20 * width / SIZE, 0, 0, width / SIZE);
    if (document.activeElement !== this.canvas) return;
    const [x, y] = this.pen.map(value => value * width / SIZE);
    context.strokeStyle = style(this.down ? "--novel" : "--accent");
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, 9, 0, 7);
    context.stroke();
  }

  // Lines of one width, scaled and centred as digits of MNIST are, so that place and size do not matter.
  image([height, width]) {
    const points = this.strokes.flat();
    if (!points.length) return null;
    const fine = 8, small = Math.min(height, width), line = small < 16 ? 1.3 : 2.4;
    const [low, high] = [Math.min, Math.max].map(f => [0, 1].map(axis => f(...points.map(p => p[axis]))));
    const long = Math.max(high[0] - low[0], high[1] - low[1], 40);
    const scale = fine * (small * (small < 16 ? 1 : 20 / 28) - line) / long;
    const canvas = new OffscreenCanvas(width * fine, height * fine), context = canvas.getContext("2d");
    const middle = [0, 1].map(axis => (low[axis] + high[axis]) / 2);
    this.stroke(context, line * fine, middle[0] - width * fine / 2 / scale, middle[1] - height * fine / 2 / scale, scale);
    const alpha = context.getImageData(0, 0, canvas.width, canvas.height).data, image = new Uint8Array(height * width);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = 0; k < fine * fine; k++) {
        sum += alpha[4 * ((y * fine + Math.floor(k / fine)) * canvas.width + x * fine + k % fine) + 3];
      }
      image[y * width + x] = sum / (fine * fine);
    }
    return btoa(String.fromCharCode(...image));
  }
}
