// The page: what comes from the server is shown, what people do is sent.
import { Grid } from "./grid.js";
import { Pad } from "./pad.js";
import { colour, dark, make, many, paint, pixels, theme } from "./pictures.js";
import { drawCurves, drawInside } from "./plots.js";

const $ = id => document.getElementById(id);
const token = location.hash.slice(1);
const grids = [];
let socket, head, early = [], tried = 0, seen = 0, presented = 0, inside = null, sliding = 0;

function say(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}

function send(command) {
  say("");
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
  else early = [...early, command].slice(-5); // a click before the page is connected is not lost
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  const ask = () => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ do: "frame", seen, presented }));
  socket.onopen = () => { socket.send(token); [tried, seen] = [0, 0]; ask(); early.splice(0).forEach(send); };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") {
      const { error, busy } = JSON.parse(data);
      busy ? $("status").textContent = busy : say(error);
    } else {
      show(data);
      requestAnimationFrame(ask); // a hidden or slow page asks later, and misses what was between
    }
  };
  socket.onclose = ({ code, reason }) => {
    $("status").textContent = reason || "The server is gone. Start lethenet live again, and use the address that it prints.";
    if (code !== 4401 && code !== 1008 && tried++ < 20) setTimeout(connect, 1000);
  };
}

function show(data) {
  const length = new DataView(data).getUint32(0, true);
  head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  let at = 4 + length;
  const take = (Kind, n) => new Kind(data.slice(at, at += n * Kind.BYTES_PER_ELEMENT));
  const size = head.shape[0] * head.shape[1];
  seen = head.number;
  paint($("now"), take(Uint8Array, size), head.shape);
  while (grids.length > head.networks.length) { grids.pop(); $("networks").lastChild.remove(); }
  head.networks.forEach((network, place) => {
    if (place >= grids.length) {
      const figure = $("networks").appendChild(make("figure"));
      grids.push(new Grid(figure, neuron => {
        for (const other of grids) if (other !== grids[place]) other.chosen = -1;
        send({ do: "inspect", network: place, neuron });
      }));
    }
    const owners = take(Int16Array, network.neurons), flags = take(Uint8Array, network.neurons);
    const rows = take(Uint16Array, network.rows), pictures = take(Uint8Array, network.rows * size);
    grids[place].update(network, head.shape, head.classes, owners, flags, rows, pictures);
  });
  showStream();
  showNeuron();
  drawCurves($("curve"), $("values"), head);
  if (head.last) showPresentation(head.last);
  presented = head.presented;
}

function fill(select, options, value) {
  if (select.options.length !== options.length) select.replaceChildren(...options.map(text => new Option(text, text)));
  if (document.activeElement !== select) select.value = value;
}

function showStream() {
  $("status").textContent = `${head.dataset}: ${many(head.samples, "sample")} learned`
    + (head.playing ? `, ${head.rate.toLocaleString("en")} per second` : ", paused");
  $("play").textContent = head.playing ? "Pause" : "Play";
  $("phase").textContent = head.phase ? `Now: ${head.phase}` : "";
  fill($("kind"), head.kinds, head.kind);
  fill($("preset"), head.presets, $("preset").value || head.networks[0].settings.preset);
  $("neurons").max = head.most_neurons;
  for (const [id, value] of [["speed", head.speed], ["turn", head.turn]]) if (document.activeElement !== $(id)) $(id).value = value;
  $("alone").hidden = head.networks.length < 2;
  for (const id of ["recognise", "learn"]) $(id).disabled = !head.drawable;
  const chips = $("classes");
  while (chips.childElementCount > head.classes.length) chips.lastChild.remove();
  head.classes.forEach((name, place) => {
    const choose = () => send({ do: "choose", name: head.classes[place] });
    const button = chips.children[place]
      ?? chips.appendChild(make("button", { type: "button", onclick: choose }, make("b"), " ", make("small")));
    const right = head.networks.map(network => network.by_class[place]).filter(share => share != null);
    button.firstChild.textContent = name;
    button.lastChild.textContent = right.length ? `${right.map(share => Math.round(100 * share)).join("/")} %` : "";
    button.disabled = !head.stream_classes.includes(name) || head.kind !== "in turn";
    button.style.borderLeftColor = colour(place);
    button.setAttribute("aria-pressed", head.phase === name);
  });
}

function showNeuron() {
  const neuron = head.neuron, box = $("neuron");
  box.hidden = !neuron;
  const text = neuron && JSON.stringify(neuron);
  if (!neuron || box.dataset.shown === text) return;
  box.dataset.shown = text;
  const answered = neuron.answered.map(([name, n]) => `${name} (${n})`).join(", ");
  const said = `Neuron ${neuron.number}: ${many(neuron.spikes, "natural spike")}`
    + (neuron.imprints === undefined ? "" : `, ${many(neuron.imprints, "imprint")}, ${many(neuron.since, "spike")} since the last; `
      + `number ${neuron.line} in line to be overwritten`) + `. It answered to ${answered || "nothing with a name"}.`
    + (neuron.former.length ? " What it was before:" : "");
  const picture = (bytes, ariaLabel) => {
    const canvas = make("canvas", { role: "img", ariaLabel });
    paint(canvas, bytes, head.shape);
    return canvas;
  };
  box.replaceChildren(picture(grids[neuron.network].pictures[neuron.number], "This neuron"), make("p", {}, said),
    ...neuron.former.map(([samples, bytes]) => picture(pixels(bytes), `Until sample ${samples}`)));
}

function showPresentation(last) {
  const { learned, known, imprint, drawn, neuron } = last, fresh = !last.inside;
  if (drawn || fresh) {
    const answer = last.votes?.[0]?.[0];
    const said = fresh ? ""
      : learned ? imprint >= 0 ? "New! Dopamine fired, and a neuron has become your drawing."
        : `Neuron ${neuron} fired, and moved a little towards your drawing.`
      : !known ? "Unknown. Let it be learned?"
        : answer ? `It is “${answer}”.` : "Seen before, but nobody has told its name.";
    const others = (last.others ?? []).map(other => ` The other network says “${other ?? "nothing"}”.`).join("");
    $("answer").textContent = last.name ? `From now on, this is “${last.name}”.` : said + others;
    $("answer").className = last.name || (learned ? imprint < 0 : known) ? "" : "novel";
    $("familiar").textContent = fresh || learned ? "" : !last.familiar ? "It is like nothing that was learned." :
      `${Math.round(100 * last.familiar)} % familiar: most like neuron ${last.like}${last.owner ? ` (“${last.owner}”)` : ""}, which would `
      + `answer in time in ${Math.round(100 * last.chance)} of 100 presentations. From 50 on, it is known.`;
    $("naming").hidden = !(learned || known);
    $("votes").replaceChildren(...(known ? last.votes : []).map(([name, share]) =>
      make("div", { className: "vote" }, make("span", {}, name),
        make("meter", { value: share, ariaLabel: `Votes for ${name}` }), make("span", {}, `${Math.round(100 * share)} %`))));
    $("change").hidden = !last.before;
    if (last.before) {
      paint($("before"), pixels(last.before), head.shape);
      paint($("after"), pixels(last.after), head.shape);
      $("forgotten").textContent = imprint < 0 ? `Neuron ${neuron}, before and now.`
        : `Neuron ${neuron} was overwritten: ` + (last.was ? `a “${last.was}” with ${many(last.spikes, "spike")} is forgotten.`
          : last.spikes ? "what it was had no name." : "it had not been used before.");
    }
  }
  inside = last.inside;
  $("explained").textContent = fresh ? "Draw something, or take one sample of the stream, to see spikes and potentials here."
    : `${drawn ? "Your drawing" : "A sample of the stream"}, ${learned ? "learned" : "recognised"}: `
    + (imprint >= 0 ? `the layer is silent for too long, dopamine rises and makes neuron ${imprint} learn it at once.`
      : last.in_time ? `the neuron most like it wins the race, again and again.${learned || known ? "" : " That was luck: mostly it would not."}`
        : `nobody reaches the threshold in time. The input is turned up until somebody does.${known ? " That was bad luck." : ""}`);
  slowly();
}

function slide(share) {
  $("time").value = 1000 * share;
  drawInside($("race"), inside, share, head?.classes);
}

function slowly() {
  cancelAnimationFrame(sliding);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return slide(1);
  const start = performance.now(), go = now => {
    const share = Math.min((now - start) / 4000, 1);
    slide(share);
    if (share < 1) sliding = requestAnimationFrame(go);
  };
  sliding = requestAnimationFrame(go);
}

function drawn(what) {
  const image = head && pad.image(head.shape);
  image ? send({ do: what, image }) : say("Draw something first.");
}

const pad = new Pad($("pad"), () => drawn("recognise"));
$("play").addEventListener("click", () => send({ do: head?.playing ? "pause" : "play" }));
$("step").addEventListener("click", () => send({ do: "step" }));
$("speed").addEventListener("change", () => send({ do: "speed", value: Number($("speed").value) }));
for (const id of ["kind", "turn"]) {
  $(id).addEventListener("change", () => send({ do: "stream", kind: $("kind").value, turn: Number($("turn").value) }));
}
$("recognise").addEventListener("click", () => drawn("recognise"));
$("learn").addEventListener("click", () => drawn("learn"));
$("clear").addEventListener("click", () => pad.clear());
$("naming").addEventListener("submit", event => {
  event.preventDefault();
  send({ do: "name", name: $("name").value });
  $("name").value = "";
});
$("slowly").addEventListener("click", slowly);
$("time").addEventListener("input", () => { cancelAnimationFrame(sliding); slide($("time").value / 1000); });

$("settings").addEventListener("submit", event => {
  event.preventDefault();
  const number = id => $(id).value === "" ? null : Number($(id).value), what = event.submitter?.value ?? "compare";
  const settings = { preset: $("preset").value, neurons: number("neurons"), threshold: number("threshold"),
    habituation: number("habituation"), layer: $("layer").value };
  const first = head.networks[0].settings;
  if (what === "change") send({ do: what, settings: { threshold: settings.threshold, habituation: settings.habituation } });
  else if (what === "alone") send({ do: what });
  else send({ do: "new", networks: what === "compare" ? [first, settings] : [settings] });
});

async function fetched(path, options = {}) {
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}` }, ...options });
  if (!response.ok) throw new Error(await response.text());
  return response.blob();
}
const complain = error => say(error.message);
for (const [id, path, download] of [["save", "model", "model.safetensors"], ["session", "session", "session.jsonl"]]) {
  $(id).addEventListener("click", () => fetched(path).then(blob => {
    const href = URL.createObjectURL(blob);
    make("a", { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }).catch(complain));
}
$("load").addEventListener("change", () => {
  say("");
  fetched("model", { method: "POST", body: $("load").files[0] }).catch(complain);
  $("load").value = "";
});

function redraw() {
  grids.forEach(grid => { grid.ink(); grid.drawOwners(); grid.draw(); });
  pad.draw();
  if (head) { showStream(); drawCurves($("curve"), $("values"), head); slide($("time").value / 1000); }
}
const prefers = matchMedia("(prefers-color-scheme: dark)");
const turn = to => { theme(to ? "dark" : "light"); redraw(); };
prefers.addEventListener("change", () => turn(prefers.matches));
$("theme").addEventListener("click", () => turn(!dark()));
addEventListener("resize", redraw);
turn(prefers.matches);
connect();
