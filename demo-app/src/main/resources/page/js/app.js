/** Receives the server's events and updates the page. */
import { DistributionChart, TimeChart, refreshColors } from "./charts.js";
import { Controls } from "./controls.js";
import * as format from "./format.js";
import { csv, markdown } from "./results.js";
import { showCalls } from "./trace.js";
import { brief, phrase, winner } from "./winner.js";

const LANES = ["RDMA", "gRPC", "HTTP"];
const POINTS = 120;

const $ = (id) => document.getElementById(id);

function make(name, classes = "", text = "") {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
}

/** Changes a text node only if its text differs, because an unchanged node costs no layout. */
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
    const reason = (await response.json().catch(() => ({}))).detail ?? response.statusText;
    throw new Error(`${method} ${path}: ${reason || response.status}`);
  }
  return response.status === 204 ? null : response.json();
}

/* The error of the user's last action stays until an action succeeds. */
let actionError = null;

async function act(work) {
  try {
    await work();
    actionError = null;
  } catch (error) {
    actionError = error.message;
  }
  showProblem();
}

/* Problems */

let serverProblem = null;

function showProblem() {
  const text = [actionError, serverProblem].filter(Boolean).join(" ");
  $("problem").hidden = !text;
  write($("problem"), text);
}

/* Notes */

/** Notes that the server sends at the same time. More elements are created only if it sends more. */
const NOTES = 4;

function addNote() {
  const note = make("p", "notice");
  note.setAttribute("role", "note");
  note.hidden = true;
  $("notes").append(note);
  return note;
}

const notes = Array.from({ length: NOTES }, addNote);

function showNotes(texts) {
  while (notes.length < texts.length) notes.push(addNote());
  notes.forEach((note, i) => {
    note.hidden = i >= texts.length;
    write(note, texts[i] ?? "");
  });
}

/* Tiles */

class Tile {
  constructor(host, { title, value, parts, words, lower }) {
    Object.assign(this, { value, parts, words, lower });
    this.card = make("article", "tile card");
    const lead = make("p", "lead");
    this.number = make("b");
    this.unit = make("span");
    lead.append(this.number, this.unit);
    this.winner = make("p", "winner");
    const bars = make("div", "bars");
    this.rows = LANES.map((name) => {
      const track = make("div", `track ${name.toLowerCase()}`);
      const fill = make("i");
      track.append(fill);
      const text = make("span", "value");
      bars.append(make("span", `${name.toLowerCase()}-text`, name), track, text);
      return { fill, text };
    });
    this.card.append(make("h3", "", title), lead, this.winner, bars);
    host.append(this.card);
  }

  show(lanes) {
    const values = lanes.map((lane) => this.value(lane));
    const known = values.map((value) => Number.isFinite(value));
    const most = Math.max(...values.filter(Number.isFinite), 0);
    const won = winner(values, this.lower);
    const first = won?.best ?? Math.max(0, known.indexOf(true));
    this.card.dataset.lane = LANES[first].toLowerCase();
    const [number, unit] = this.parts(values[first]);
    write(this.number, number);
    write(this.unit, unit);
    this.rows.forEach(({ fill, text }, i) => {
      fill.style.transform = `scaleX(${most > 0 && known[i] ? values[i] / most : 0})`;
      write(text, this.words(values[i]));
    });
    write(this.winner, phrase(won, LANES, this.lower) || (known[first] ? `${LANES[first]} only` : ""));
  }
}

function whole(value) {
  return Number.isFinite(value) && value > 0 ? [format.count(value), "/s"] : ["–", ""];
}

function latency(title, key) {
  return { title, value: (lane) => (lane.recent.calls ? lane.recent[key] : NaN), parts: format.timeParts, words: format.time, lower: true };
}

const tiles = [
  latency("Median latency", "p50"),
  latency("99th percentile", "p99"),
  latency("99.9th percentile", "p999"),
  latency("Maximum latency", "max"),
  { title: "Calls per second", value: (lane) => lane.perSecond || NaN, parts: whole, words: format.count, lower: false },
  { title: "CPU time per call", value: (lane) => lane.cpuMicrosPerCall ?? NaN, parts: format.timeParts, words: format.time, lower: true },
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

const percentiles = new Rows($("percentiles").tBodies[0], [...LANES, "winner"], 9);
percentiles.cells[LANES.length].row.className = "winners";
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
  const best = (value, lower) => brief(winner(lanes.map(value), lower), LANES);
  percentiles.show(LANES.length, [
    ...["p50", "p90", "p99", "p999", "max"].map((key) => best((lane) => lane.recent[key], true)),
    best((lane) => lane.perSecond, false),
    best((lane) => lane.bytesPerCall ?? NaN, true),
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

  /** @returns the element that shows the value, so that the caller can style it */
  show(name, text) {
    const value = this.values.get(name);
    write(value, text);
    return value;
  }
}

const device = new Facts($("device"), ["Provider", "Device", "Selection", "Address", "Link", "Path MTU"]);
device.values.get("Selection").classList.add("words");
const engine = new Facts($("engine"), ["Sessions", "Window", "Peak in flight", "Peak backlog", "Waits for the window", "Waits for a credit", "RDMA READs", "Registered memory", "Polling thread busy"]);
const reliability = new Facts($("reliability"), ["Retransmissions", "Duplicates at the server", "Packets dropped", "Packets sent", "Packets received"]);

function showEngine(snapshot) {
  const { rdma, server } = snapshot;
  if (!rdma) return;
  const software = rdma.provider === "soft";
  device.show("Provider", software ? "software RNIC" : `${rdma.provider} (RDMA device)`);
  device.show("Device", rdma.device);
  device.show("Selection", rdma.reason);
  device.show("Address", rdma.gid);
  device.show("Link", rdma.link);
  device.show("Path MTU", `${format.count(rdma.pathMtuBytes)} bytes`);
  engine.show("Sessions", format.count(rdma.sessions));
  engine.show("Window", `${rdma.window} calls each`);
  engine.show("Peak in flight", format.count(snapshot.inFlightPeak));
  engine.show("Peak backlog", format.count(snapshot.backlogPeak));
  engine.show("Waits for the window", format.count(rdma.windowStalls));
  engine.show("Waits for a credit", format.count(rdma.creditStalls));
  engine.show("RDMA READs", `${format.count(rdma.reads)} · ${format.bytes(rdma.readBytes)}`);
  engine.show("Registered memory", format.bytes(rdma.registeredBytes));
  engine.show("Polling thread busy", format.share(rdma.busyShare));
  reliability.show("Retransmissions", format.count(rdma.retransmissions)).classList.toggle("alarm", snapshot.retransmissions > 0);
  reliability.show("Duplicates at the server", server ? format.count(server.engine.duplicates) : "–");
  reliability.show("Packets dropped", format.count(rdma.drops));
  reliability.show("Packets sent", `${format.short(rdma.packetsSent)} · ${format.bytes(rdma.bytesSent)}`);
  reliability.show("Packets received", `${format.short(rdma.packetsReceived)} · ${format.bytes(rdma.bytesReceived)}`);
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

/** Points of the charts over time, the newest last. */
let points = [];

function lines(key) {
  return LANES.map((name, i) => ({ name, color: name.toLowerCase(), value: ({ lanes }) => (lanes[i].perSecond > 0 ? lanes[i][key] : null) }));
}

const distribution = new DistributionChart($("distribution"), LANES.map((name) => ({ name, color: name.toLowerCase() })));
const charts = [
  new TimeChart(
    $("latency"),
    [...lines("p50").map((line) => ({ ...line, name: `${line.name} p50` })), ...lines("p99").map((line) => ({ ...line, name: `${line.name} p99`, thin: true }))],
    { label: "Latency over the last two minutes", log: true, words: format.time, axis: format.tick },
  ),
  new TimeChart($("rate"), lines("perSecond"), { label: "Calls per second over the last two minutes", words: format.count, axis: format.roundCount }),
  new TimeChart($("cpus"), lines("cpus"), { label: "Processors busy over the last two minutes", words: format.cpus, axis: String, least: 1 }),
  new TimeChart($("retransmissions"), [{ name: "retransmissions", color: "bad", value: ({ retransmissions }) => retransmissions }], {
    label: "Retransmissions per second over the last two minutes",
    bars: true,
    words: format.count,
    axis: format.roundCount,
    least: 4,
  }),
];

function pointOf(snapshot) {
  const lanes = snapshot.lanes.map((lane) => ({ p50: lane.now.p50, p99: lane.now.p99, perSecond: lane.nowPerSecond, cpus: lane.cpus }));
  return { at: snapshot.at, warm: snapshot.phase === "RUNNING", lanes, retransmissions: snapshot.retransmissions };
}

/* Status */

const STATUS = { STARTING: "Opening RDMA", WARMING_UP: "Warming up", RUNNING: "Running", STOPPED: "Stopped", lost: "Connection lost, reconnecting", connecting: "Connecting" };
let phase = "connecting";

const isActive = (now) => now === "RUNNING" || now === "WARMING_UP";

/** Shows the seconds outside the status text, because a screen reader announces each change of that text. */
function showWarmUp(warmUp) {
  write($("status-seconds"), warmUp ? `${warmUp.seconds} s` : "");
  document.body.classList.toggle("warming-up", Boolean(warmUp));
  write(
    $("summary-note"),
    warmUp
      ? `Warm-up, ${warmUp.seconds} s of at most ${warmUp.limitSeconds} s. Measurements begin when calls get no faster and the JIT compilers are idle.`
      : "Last 10 s. The large figure is the best one.",
  );
}

function showPhase(now) {
  phase = now;
  $("status").dataset.phase = now;
  write($("status-text"), STATUS[now]);
  const run = $("run");
  run.disabled = !isActive(now) && now !== "STOPPED";
  write(run, isActive(now) ? "Stop" : "Start");
}

/* Events */

const controls = new Controls($("controls"), (settings) => act(() => request("PUT", "settings", settings)));
let latest = null;
let frame = 0;
let traced = false;

function draw() {
  frame = 0;
  const snapshot = latest;
  if (!snapshot) return;
  serverProblem = [snapshot.problem, ...snapshot.lanes.map((lane) => lane.lastFailure && `${lane.name}: ${lane.lastFailure}`)].filter(Boolean).join(" ") || null;
  showProblem();
  showPhase(snapshot.phase);
  showWarmUp(snapshot.warmUp);
  showNotes(snapshot.notes);
  write($("setup"), snapshot.setup);
  const hasResults = !snapshot.warmUp && snapshot.lanes.some((lane) => lane.calls > 0);
  for (const button of [$("copy-markdown"), $("copy-csv")]) button.disabled = !hasResults;
  controls.show(snapshot.settings, !snapshot.rdma || snapshot.rdma.provider === "soft");
  tiles.forEach((tile) => tile.show(snapshot.lanes));
  showPercentiles(snapshot.lanes);
  distribution.draw(snapshot.lanes);
  charts.forEach((chart) => chart.draw(points));
  showEngine(snapshot);
  showProcesses(snapshot);
  traceFirst(snapshot);
}

/** Traces one call automatically as soon as measurements run and all transports have made enough calls. */
function traceFirst(snapshot) {
  if (!traced && snapshot.phase === "RUNNING" && snapshot.lanes.every((lane) => lane.recent.calls > 1000)) {
    traced = true;
    trace();
  }
}

/** Draws in the next frame. A hidden page keeps the latest snapshot and draws it when it becomes visible. */
function drawSoon() {
  if (!frame && !document.hidden) frame = requestAnimationFrame(draw);
}

document.addEventListener("visibilitychange", drawSoon);

const feed = new EventSource("api/feed");
/**
 * Time of the latest point. The server repeats the last snapshot after the history, which must not add a second point.
 */
let pointsUntil = 0;

feed.addEventListener("history", (event) => {
  points = JSON.parse(event.data);
  pointsUntil = points.at(-1)?.at ?? 0;
});

feed.addEventListener("snapshot", (event) => {
  latest = JSON.parse(event.data);
  if (isActive(latest.phase) && latest.at > pointsUntil) {
    points.push(pointOf(latest));
    if (points.length > POINTS) points.shift();
    pointsUntil = latest.at;
  }
  drawSoon();
});

feed.onerror = () => showPhase("lost");

/* Buttons */

$("run").addEventListener("click", () => act(() => request("POST", isActive(phase) ? "stop" : "start")));
$("reset").addEventListener("click", () => act(() => request("POST", "reset")));

function trace() {
  return act(async () => {
    const button = $("trace");
    button.disabled = true;
    write(button, "Tracing…");
    try {
      showCalls($("trace-view"), await request("POST", "trace"));
    } finally {
      button.disabled = false;
      write(button, "Trace a call");
    }
  });
}

$("trace").addEventListener("click", trace);

/* Copying */

/** Writes a text to the clipboard, or selects it for the user if the browser does not allow that. */
async function copy(text, kind) {
  try {
    await navigator.clipboard.writeText(text);
    $("copy-fallback").hidden = true;
    write($("copy-status"), `Copied as ${kind}.`);
  } catch {
    write($("copy-status"), "");
    $("copy-text").value = text;
    $("copy-fallback").hidden = false;
    $("copy-text").focus();
    $("copy-text").select();
    $("copy-text").scrollTop = 0;
  }
}

$("copy-markdown").addEventListener("click", () => copy(markdown(latest), "Markdown"));
$("copy-csv").addEventListener("click", () => copy(csv(latest), "CSV"));
$("copy-close").addEventListener("click", () => {
  $("copy-fallback").hidden = true;
  $("copy-markdown").focus();
});

/* Colors */

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
  $("theme").setAttribute("aria-label", `${word} colors`);
  refreshColors();
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Private windows may not allow storage.
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refreshColors);

let theme = THEMES.includes(remembered()) ? remembered() : "auto";
useTheme(theme);
$("theme").addEventListener("click", () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  useTheme(theme);
});
