// Curves over the samples, and the inside of a presentation.
import { colour, make, many, sharp, style } from "./pictures.js";

const line = (context, points, hex, dash = [], width = 2) => {
  [context.strokeStyle, context.lineWidth] = [hex, width];
  context.setLineDash(dash);
  context.beginPath();
  points.forEach(([x, y]) => context.lineTo(x, y));
  context.stroke();
  context.setLineDash([]);
};

const percent = value => `${Math.round(100 * value)} %`;

export function drawCurves(canvas, values, head) {
  const [context, width, height] = sharp(canvas), [ink, soft] = [style("--ink"), style("--soft")];
  const most = Math.max(head.samples, 100), [left, right, top, bottom] = [38, 8, 14, 20];
  const x = samples => left + (width - left - right) * samples / most;
  const y = share => top + (height - top - bottom) * (1 - share);
  for (const share of [0, 0.5, 1]) {
    line(context, [[left, y(share)], [width - right, y(share)]], style("--line"), [], 1);
    context.fillStyle = soft;
    context.fillText(percent(share), 2, y(share) + 4);
  }
  const samples = many(head.samples, "sample");
  context.fillText(samples, width - right - context.measureText(samples).width, height - 4);
  head.networks.forEach((network, place) => {
    const dash = place ? [6, 4] : [];
    for (const [what, name, wide] of [["novelty", "--novel", 1.5], ["accuracy", "--accent", 2.5]]) {
      const points = network[what].map(([a, b]) => [x(a), y(b)]), last = points.at(-1);
      line(context, points, style(name), dash, wide);
      context.fillStyle = style(name);
      if (last) context.fillRect(last[0] - 2.5, last[1] - 2.5, 5, 5); // a single point has no line
    }
  });
  const now = (network, what) => network[what].length ? percent(network[what].at(-1)[1]) : "–";
  values.replaceChildren(...head.networks.flatMap((network, place) => {
    const word = (what, name) => {
      const bold = make("b", {}, `${what} ${now(network, what)}`);
      bold.style.color = style(name);
      return bold;
    };
    const which = head.networks.length > 1 ? `${place ? "Dashed" : "Line"} (${network.title}): ` : "Now: ";
    return [...(place ? [make("br")] : []), which, word("accuracy", "--accent"), ", ", word("novelty", "--novel")];
  }));
}

// Input spikes, the race of potentials and the dopaminergic neuron, up to a share of the time.
export function drawInside(canvas, inside, share, classes) {
  const [context, width, height] = sharp(canvas), [left, right] = [8, 64];
  if (!inside?.end) return;
  const [ink, soft] = [style("--ink"), style("--soft")], until = inside.end * share;
  const x = time => left + (width - left - right) * time / inside.end;
  const bands = [[18, 0.3 * height], [0.3 * height + 22, 0.72 * height], [0.72 * height + 22, height - 18]];
  const title = (text, band) => { context.fillStyle = soft; context.fillText(text, left, bands[band][0] - 5); };
  title("Input spikes", 0);
  context.fillStyle = ink;
  inside.input_times.forEach((time, at) => {
    if (time <= until) context.fillRect(x(time), bands[0][0] + inside.inputs[at] * (bands[0][1] - bands[0][0]), 1.5, 1.5);
  });
  title("Potentials: the first to reach the threshold fires", 1);
  const highest = Math.max(inside.threshold * 1.08, ...inside.potentials.flat());
  const level = (value, most, band) => bands[band][1] - (bands[band][1] - bands[band][0]) * Math.min(value / most, 1);
  const stretch = (values, most, band) => values.slice(0, Math.ceil(share * values.length))
    .map((value, at) => [x(inside.end * (at + 0.5) / values.length), level(value, most, band)]);
  const limit = (most, band, value) =>
    line(context, [[left, level(value, most, band)], [width - right, level(value, most, band)]], soft, [4, 4], 1);
  limit(highest, 1, inside.threshold);
  context.fillText("threshold", width - right + 4, level(inside.threshold, highest, 1) + 4);
  const taken = [level(inside.threshold, highest, 1)];
  inside.potentials.forEach((values, at) => {
    const hex = colour(classes.indexOf(inside.owners[at])), points = stretch(values, highest, 1);
    line(context, points, hex, [], at ? 1.2 : 2.4);
    const place = points.length ? points.at(-1) : [left, bands[1][1]];
    const name = inside.owners[at] ?? "no name";
    if (at < 4 && taken.every(other => Math.abs(other - place[1]) > 11)) {
      context.fillStyle = hex;
      context.fillText(name.slice(0, 9), place[0] + 4, place[1] + 4);
      taken.push(place[1]);
    }
  });
  title(inside.dopamine_threshold ? "Dopamine rises while all are silent" : "Dopamine is at rest: nothing is learned", 2);
  if (inside.dopamine_threshold) {
    const most = inside.dopamine_threshold * 1.15;
    limit(most, 2, inside.dopamine_threshold);
    line(context, stretch(inside.dopamine, most, 2), style("--novel"), [], 2);
  }
  for (const [time, neuron, forced] of inside.outputs) {
    if (time > until) continue;
    line(context, [[x(time), bands[1][0]], [x(time), forced ? bands[2][1] : bands[1][1]]], forced ? style("--novel") : ink, [], forced ? 3 : 1);
    if (forced) {
      context.fillStyle = style("--novel");
      context.textAlign = "right";
      context.fillText(`dopamine! neuron ${neuron} learns it`, x(time) - 6, bands[2][1] - 3);
      context.textAlign = "left";
    }
  }
  context.fillStyle = soft;
  for (const [at, time] of inside.raises.filter(time => time <= until).entries()) {
    line(context, [[x(time), bands[0][0]], [x(time), bands[0][1]]], soft, [2, 3], 1);
    if (!at) context.fillText("turned up", Math.min(x(time), width - 64), bands[0][0] - 5);
  }
  context.fillText(`time ${Math.round(until)} of ${Math.round(inside.end)}`, left, height - 3);
}
