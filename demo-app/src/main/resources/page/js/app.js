/** Takes the server's events and puts them where they belong. */
import { BarChart, DistributionChart, Ring, TimeChart } from "./charts.js";
import { Controls } from "./controls.js";
import * as format from "./format.js";
import { showCalls } from "./trace.js";

const LANES = ["RDMA", "HTTP"];
const POINTS = 120;

const $ = (id) => document.getElementById(id);

function make(name, classes = "", text = "") {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
}

/** Writes only what is new: a text node that stays the same costs nothing. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

async function request(method, path, body) {
  const response = await fetch(`api/${path}`, {
    method,
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  if (!response.ok) {
    const words = (await response.json().catch(() => ({}))).detail ?? response.statusText;
    throw new Error(`${method} ${path}: ${words || response.status}`);
  }
  return response.status === 204 ? null : response.json();
}

/* What the user did that went wrong stays until the next thing goes well. */
let mishap = null;

async function act(work) {
  try {
    await work();
    mishap = null;
  } catch (error) {
    mishap = error.message;
  }
  showProblem();
}

/* Problems */

let serverProblem = null;

function showProblem() {
  const words = [mishap, serverProblem].filter(Boolean).join(" ");
  $("problem").hidden = !words;
  write($("problem"), words);
}

/* Tiles */

class Tile {
  constructor(host, { title, value, parts, words }) {
    Object.assign(this, { value, parts, words });
    const card = make("article", "tile card");
    const head = make("header");
    this.ratio = make("p", "ratio");
    head.append(make("h3", "", title), this.ratio);
    const lead = make("p", "lead");
    this.number = make("b");
    this.unit = make("span");
    lead.append(this.number, this.unit);
    const bars = make("div", "bars");
    this.rows = LANES.map((name) => {
      const track = make("div", `track ${name.toLowerCase()}`);
      const fill = make("i");
      track.append(fill);
      const text = make("span", "value");
      bars.append(make("span", `${name.toLowerCase()}-text`, name), track, text);
      return { fill, text };
    });
    card.append(head, lead, bars);
    host.append(card);
  }

  show(lanes) {
    const values = lanes.map((lane) => this.value(lane));
    const most = Math.max(...values.filter(Number.isFinite), 0);
    const [number, unit] = this.parts(values[0]);
    write(this.number, number);
    write(this.unit, unit);
    this.rows.forEach(({ fill, text }, i) => {
      fill.style.transform = `scaleX(${most > 0 && Number.isFinite(values[i]) ? values[i] / most : 0})`;
      write(text, this.words(values[i]));
    });
    write(this.ratio, this.#compare(values));
  }

  #compare([rdma, http]) {
    if (!(rdma > 0) || !(http > 0)) return "";
    const [factor, word] = rdma < http ? [http / rdma, "lower"] : [rdma / http, "higher"];
    return factor < 1.05 ? "about equal" : `${format.times(factor, 1)} ${word}`;
  }
}

function whole(value) {
  return Number.isFinite(value) && value > 0 ? [format.count(value), "/s"] : ["–", ""];
}

const tiles = [
  { title: "Median latency", value: (lane) => (lane.recent.calls ? lane.recent.p50 : NaN), parts: format.timeParts, words: format.time },
  { title: "99th percentile", value: (lane) => (lane.recent.calls ? lane.recent.p99 : NaN), parts: format.timeParts, words: format.time },
  { title: "Calls per second", value: (lane) => lane.perSecond || NaN, parts: whole, words: format.count },
  { title: "CPU time per call", value: (lane) => lane.cpuMicrosPerCall ?? NaN, parts: format.timeParts, words: format.time },
].map((tile) => new Tile($("tiles"), tile));

/* Tables and facts */

class Rows {
  constructor(body, names, cells) {
    this.cells = names.map((name) => {
      const row = make("tr");
      const head = make("th", LANES.includes(name) ? `${name.toLowerCase()}-text` : "", name);
      head.scope = "row";
      row.append(head);
      const all = Array.from({ length: cells }, () => row.appendChild(make("td")));
      body.append(row);
      return { row, head, all };
    });
  }

  show(row, values) {
    values.forEach((text, i) => write(this.cells[row].all[i], text));
  }
}

const percentiles = new Rows($("percentiles").tBodies[0], [...LANES, "RDMA ahead"], 9);
percentiles.cells[2].row.className = "ratio";
const processes = new Rows($("processes").tBodies[0], ["client", "server"], 3);

function showPercentiles(lanes) {
  lanes.forEach((lane, i) => {
    const { p50, p90, p99, p999, max } = lane.recent;
    percentiles.show(i, [
      ...[p50, p90, p99, p999, max].map(format.time),
      format.count(lane.perSecond),
      format.bytes(lane.bytesPerCall),
      format.count(lane.calls),
      format.count(lane.failures),
    ]);
  });
  const [rdma, http] = lanes;
  percentiles.show(2, [
    ...["p50", "p90", "p99", "p999", "max"].map((key) => format.times(http.recent[key], rdma.recent[key])),
    format.times(rdma.perSecond, http.perSecond),
    format.times(http.bytesPerCall, rdma.bytesPerCall),
    "",
    "",
  ]);
}

class Facts {
  constructor(list, names) {
    this.values = new Map(
      names.map((name) => {
        const value = make("dd");
        list.append(make("dt", "", name), value);
        return [name, value];
      }),
    );
  }

  /** @returns the element of the last one, for a look of its own */
  show(name, text) {
    const value = this.values.get(name);
    write(value, text);
    return value;
  }
}

const device = new Facts($("device"), ["Provider", "Device", "Why", "Address", "Link", "Path MTU"]);
device.values.get("Why").classList.add("words");
const engine = new Facts($("engine"), ["Sessions", "Window", "In flight, most", "Backlog, most", "Waits for the window", "Waits for a receive", "RDMA READs", "Registered memory", "Polling thread busy"]);
const reliability = new Facts($("reliability"), ["Sent again", "Seen twice by the server", "Packets dropped", "Packets sent", "Packets received"]);

function showEngine(snapshot) {
  const { rdma, server } = snapshot;
  if (!rdma) return;
  const software = rdma.provider === "soft";
  device.show("Provider", software ? "software RNIC" : `${rdma.provider} (RDMA device)`);
  device.show("Device", rdma.device);
  device.show("Why", rdma.reason);
  device.show("Address", rdma.gid);
  device.show("Link", rdma.link);
  device.show("Path MTU", `${format.count(rdma.pathMtuBytes)} bytes`);
  engine.show("Sessions", format.count(rdma.sessions));
  engine.show("Window", `${rdma.window} calls each`);
  engine.show("In flight, most", format.count(snapshot.inFlightPeak));
  engine.show("Backlog, most", format.count(snapshot.backlogPeak));
  engine.show("Waits for the window", format.count(rdma.windowStalls));
  engine.show("Waits for a receive", format.count(rdma.creditStalls));
  engine.show("RDMA READs", `${format.count(rdma.reads)} · ${format.bytes(rdma.readBytes)}`);
  engine.show("Registered memory", format.bytes(rdma.registeredBytes));
  engine.show("Polling thread busy", format.share(rdma.busyShare));
  reliability.show("Sent again", format.count(rdma.retransmissions)).classList.toggle("alarm", snapshot.retransmissions > 0);
  reliability.show("Seen twice by the server", server ? format.count(server.engine.duplicates) : "–");
  reliability.show("Packets dropped", format.count(rdma.drops));
  reliability.show("Packets sent", `${format.short(rdma.packetsSent)} · ${format.bytes(rdma.bytesSent)}`);
  reliability.show("Packets received", `${format.short(rdma.packetsReceived)} · ${format.bytes(rdma.bytesReceived)}`);
  $("device-chip").hidden = false;
  write($("device-chip"), `${rdma.device} · ${software ? "software RNIC" : rdma.provider}`);
}

function showProcesses(snapshot) {
  processes.cells.forEach(({ row, head }, i) => {
    const process = snapshot.processes[i];
    row.hidden = !process;
    if (!process) return;
    write(head, process.name);
    processes.show(i, [String(process.pid), `${format.cpus(process.cpus)} of ${snapshot.processors}`, format.bytes(process.heapBytes)]);
  });
}

/* Charts */

const rings = Object.fromEntries(
  LANES.map((name) => [name, Object.fromEntries(["p50", "p99", "perSecond", "cpus"].map((key) => [key, new Ring(POINTS)]))]),
);
const sentAgain = new Ring(POINTS);

function lines(key, classes = "line") {
  return LANES.map((name) => ({ name, classes: `${classes} ${name.toLowerCase()}`, ring: rings[name][key] }));
}

const distribution = new DistributionChart($("distribution"), LANES.map((name) => ({ name, classes: name.toLowerCase() })));
const charts = [
  new TimeChart(
    $("latency"),
    [...lines("p50").map((line) => ({ ...line, name: `${line.name} p50` })), ...lines("p99", "line thin").map((line) => ({ ...line, name: `${line.name} p99` }))],
    { label: "Latency over the last two minutes", log: true, words: format.time, axis: format.tick },
  ),
  new TimeChart($("rate"), lines("perSecond"), { label: "Calls per second over the last two minutes", words: format.count, axis: format.roundCount }),
  new TimeChart($("cpus"), lines("cpus"), { label: "Processors busy over the last two minutes", words: format.cpus, axis: String, least: 1 }),
  new BarChart($("retransmissions"), sentAgain, "Requests sent again each second"),
];

function addPoint(lanes, retransmissions) {
  lanes.forEach((lane, i) => {
    const ring = rings[LANES[i]];
    ring.p50.push(lane.perSecond > 0 ? lane.p50 : NaN);
    ring.p99.push(lane.perSecond > 0 ? lane.p99 : NaN);
    ring.perSecond.push(lane.perSecond > 0 ? lane.perSecond : NaN);
    ring.cpus.push(lane.cpus ?? NaN);
  });
  sentAgain.push(retransmissions);
}

function pointOf(lane) {
  return { p50: lane.now.p50, p99: lane.now.p99, perSecond: lane.perSecond, cpus: lane.cpus };
}

/* Status */

const STATUS = { STARTING: "Opening RDMA", RUNNING: "Running", STOPPED: "Stopped", lost: "No connection, trying again", connecting: "Connecting" };
let phase = "connecting";

function showPhase(now) {
  phase = now;
  $("status").dataset.phase = now;
  write($("status-text"), STATUS[now]);
  const run = $("run");
  run.disabled = now !== "RUNNING" && now !== "STOPPED";
  write(run, now === "RUNNING" ? "Stop" : "Start");
}

/* Events */

const controls = new Controls($("controls"), (settings) => act(() => request("PUT", "settings", settings)));
let latest = null;
let frame = 0;
let followed = false;

function draw() {
  frame = 0;
  const snapshot = latest;
  if (!snapshot) return;
  serverProblem = [snapshot.problem, ...snapshot.lanes.map((lane) => lane.lastFailure && `${lane.name}: ${lane.lastFailure}`)].filter(Boolean).join(" ") || null;
  showProblem();
  showPhase(snapshot.phase);
  controls.show(snapshot.settings, !snapshot.rdma || snapshot.rdma.provider === "soft");
  tiles.forEach((tile) => tile.show(snapshot.lanes));
  showPercentiles(snapshot.lanes);
  distribution.update(snapshot.lanes);
  charts.forEach((chart) => chart.draw());
  showEngine(snapshot);
  showProcesses(snapshot);
  followFirst(snapshot);
}

/** So that there is something to see, once calls are answered. */
function followFirst(snapshot) {
  if (!followed && snapshot.phase === "RUNNING" && snapshot.lanes.every((lane) => lane.recent.calls > 1000)) {
    followed = true;
    follow();
  }
}

/** A hidden page keeps its numbers and draws when it is seen again. */
function drawSoon() {
  if (!frame && !document.hidden) frame = requestAnimationFrame(draw);
}

document.addEventListener("visibilitychange", drawSoon);

const feed = new EventSource("api/feed");
/** Until when there are points: the last snapshot comes again after the history. */
let pointsUntil = 0;

feed.addEventListener("history", (event) => {
  for (const lane of Object.values(rings)) for (const ring of Object.values(lane)) ring.clear();
  sentAgain.clear();
  const points = JSON.parse(event.data);
  for (const point of points) addPoint(point.lanes, point.retransmissions);
  pointsUntil = points.at(-1)?.at ?? 0;
});

feed.addEventListener("snapshot", (event) => {
  latest = JSON.parse(event.data);
  if (latest.phase === "RUNNING" && latest.at > pointsUntil) {
    addPoint(latest.lanes.map(pointOf), latest.retransmissions);
    pointsUntil = latest.at;
  }
  drawSoon();
});

feed.onerror = () => showPhase("lost");

/* Buttons */

$("run").addEventListener("click", () => act(() => request("POST", phase === "RUNNING" ? "stop" : "start")));
$("reset").addEventListener("click", () => act(() => request("POST", "reset")));

function follow() {
  return act(async () => {
    const button = $("trace");
    button.disabled = true;
    write(button, "Following…");
    try {
      showCalls($("trace-view"), await request("POST", "trace"));
    } finally {
      button.disabled = false;
      write(button, "Follow a call");
    }
  });
}

$("trace").addEventListener("click", follow);

/* Colours */

const THEMES = ["auto", "light", "dark"];

function remembered() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function useTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const word = { auto: "Auto", light: "Light", dark: "Dark" }[theme];
  write($("theme-text"), word);
  $("theme").setAttribute("aria-label", `${word} colours`);
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Private windows may not remember.
  }
}

let theme = THEMES.includes(remembered()) ? remembered() : "auto";
useTheme(theme);
$("theme").addEventListener("click", () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  useTheme(theme);
});
