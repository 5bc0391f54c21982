/**
 * Charts in SVG. Each chart creates its elements once and then only changes them, so that the document never grows.
 */
import * as format from "./format.js";

const SVG = "http://www.w3.org/2000/svg";

function shape(name, parent, classes = "", attributes = {}) {
  const element = document.createElementNS(SVG, name);
  if (classes) element.setAttribute("class", classes);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
}

/** The last values of a series. */
export class Ring {
  #values;
  #start = 0;
  #length = 0;

  constructor(capacity) {
    this.#values = new Float64Array(capacity);
  }

  get length() {
    return this.#length;
  }

  get capacity() {
    return this.#values.length;
  }

  push(value) {
    this.#values[(this.#start + this.#length) % this.capacity] = value;
    if (this.#length < this.capacity) this.#length++;
    else this.#start = (this.#start + 1) % this.capacity;
  }

  /** Returns the value at an index; 0 is the oldest. */
  at(index) {
    return this.#values[(this.#start + index) % this.capacity];
  }

  last() {
    return this.#length ? this.at(this.#length - 1) : NaN;
  }

  clear() {
    this.#length = 0;
    this.#start = 0;
  }
}

function linearTicks(most, wanted) {
  const raw = Math.max(most, 1e-9) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const ticks = [];
  for (let i = 0; i * step < most + step * 0.999; i++) ticks.push(i * step);
  return ticks;
}

function logTicks(least, most) {
  const all = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
    for (const factor of [1, 2, 5]) all.push(Number((factor * 10 ** power).toPrecision(1)));
  }
  const from = all.findLastIndex((tick) => tick <= least);
  const to = all.findIndex((tick) => tick >= most);
  const ticks = all.slice(Math.max(0, from), to + 1);
  if (ticks.length <= 5) return ticks;
  // Thins out the grid lines but keeps the first and the last one.
  const every = Math.ceil((ticks.length - 1) / 4);
  const some = ticks.filter((_, i) => i % every === 0);
  if (some.at(-1) !== ticks.at(-1)) some.push(ticks.at(-1));
  return some;
}

/** The common part of all charts: size, axes, the line under the pointer and its tooltip. */
class Chart {
  static TICKS = 8;

  constructor(host, label, margins) {
    this.host = host;
    this.label = label;
    this.margins = margins;
    this.svg = shape("svg", host, "", { role: "img", "aria-label": label });
    this.grid = Array.from({ length: Chart.TICKS }, () => ({
      line: shape("line", this.svg, "grid"),
      text: shape("text", this.svg),
    }));
    this.cross = shape("line", this.svg, "cross");
    this.cross.style.display = "none";
    this.empty = shape("text", this.svg, "empty");
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    host.append(this.tip);
    this.pointer = null;
    host.addEventListener("pointermove", (event) => this.#point(event));
    host.addEventListener("pointerleave", () => this.#point(null));
    new ResizeObserver(() => this.#resize()).observe(host);
  }

  #resize() {
    this.width = this.host.clientWidth;
    this.height = this.host.clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.draw();
  }

  #point(event) {
    this.pointer = event ? event.clientX - this.host.getBoundingClientRect().left : null;
    this.drawPointer();
  }

  get left() {
    return this.margins.left;
  }

  get right() {
    return this.width - this.margins.right;
  }

  get top() {
    return this.margins.top;
  }

  get bottom() {
    return this.height - this.margins.bottom;
  }

  /** Draws horizontal grid lines with labels; `scale` returns the y coordinate of a value. */
  drawRows(ticks, y, words) {
    this.grid.forEach(({ line, text }, i) => {
      const shown = i < ticks.length;
      line.style.display = text.style.display = shown ? "" : "none";
      if (!shown) return;
      const at = y(ticks[i]);
      set(line, { x1: this.left, x2: this.right, y1: at, y2: at, class: i === 0 ? "grid base" : "grid" });
      set(text, { x: this.left - 8, y: at + 4, "text-anchor": "end" });
      text.textContent = words(ticks[i]);
    });
  }

  say(words) {
    this.empty.textContent = words;
    set(this.empty, { x: (this.left + this.right) / 2, y: (this.top + this.bottom) / 2 });
  }

  describe(words) {
    this.svg.setAttribute("aria-label", `${this.label}: ${words}`);
  }

  showTip(x, words) {
    this.cross.style.display = "";
    set(this.cross, { x1: x, x2: x, y1: this.top, y2: this.bottom });
    this.tip.hidden = false;
    this.tip.textContent = words;
    const room = this.width - x - this.tip.offsetWidth - 12;
    this.tip.style.left = `${room > 0 ? x + 10 : Math.max(0, x - this.tip.offsetWidth - 10)}px`;
  }

  hideTip() {
    this.cross.style.display = "none";
    this.tip.hidden = true;
  }

  drawPointer() {}
}

/** Line chart over the last two minutes. */
export class TimeChart extends Chart {
  /**
   * @param series {name, classes, ring}
   * @param options {label, log, words, axis, least}: functions that format a value and an axis label, and the lowest
    *     upper end of a linear scale
   */
  constructor(host, series, options) {
    super(host, options.label, { left: 52, right: 6, top: 8, bottom: 20 });
    this.options = options;
    this.series = series.map((each) => ({ ...each, path: shape("path", this.svg, each.classes) }));
    this.captions = ["2 min ago", "1 min ago", "now"].map((words) => {
      const text = shape("text", this.svg);
      text.textContent = words;
      return text;
    });
  }

  draw() {
    if (!this.width) return;
    const values = this.#range();
    const [y, ticks] = this.options.log ? this.#logScale(values) : this.#linearScale(values);
    this.drawRows(ticks, y, this.options.axis);
    this.#drawCaptions();
    for (const { ring, path } of this.series) path.setAttribute("d", this.#line(ring, y));
    this.say(values.most > 0 ? "" : "no calls yet");
    this.drawPointer();
  }

  #range() {
    let least = Infinity;
    let most = 0;
    for (const { ring } of this.series) {
      for (let i = 0; i < ring.length; i++) {
        const value = ring.at(i);
        if (value > 0) {
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
    }
    return { least, most };
  }

  #linearScale({ most }) {
    const ticks = linearTicks(Math.max(most, this.options.least ?? 0), 4);
    const top = ticks.at(-1) || 1;
    return [(value) => this.bottom - (value / top) * (this.bottom - this.top), ticks];
  }

  #logScale({ least, most }) {
    const ticks = most > 0 ? logTicks(least, most) : [10, 100];
    const low = Math.log(ticks[0]);
    const span = Math.log(ticks.at(-1)) - low || 1;
    return [(value) => this.bottom - ((Math.log(value) - low) / span) * (this.bottom - this.top), ticks];
  }

  #drawCaptions() {
    this.captions.forEach((text, i) => {
      const x = this.left + (i / 2) * (this.right - this.left);
      set(text, { x, y: this.height - 3, "text-anchor": ["start", "middle", "end"][i] });
    });
  }

  #x(index, ring) {
    const steps = ring.capacity - 1;
    return this.left + ((steps - (ring.length - 1 - index)) / steps) * (this.right - this.left);
  }

  #line(ring, y) {
    let path = "";
    let gap = true;
    for (let i = 0; i < ring.length; i++) {
      const value = ring.at(i);
      if (!Number.isFinite(value) || (this.options.log && value <= 0)) {
        gap = true;
        continue;
      }
      path += `${gap ? "M" : "L"}${this.#x(i, ring).toFixed(1)} ${y(value).toFixed(1)}`;
      gap = false;
    }
    return path;
  }

  drawPointer() {
    const ring = this.series[0].ring;
    if (this.pointer === null || !ring.length) {
      this.hideTip();
      return;
    }
    const steps = ring.capacity - 1;
    const fromRight = Math.round(((this.right - this.pointer) / (this.right - this.left)) * steps);
    const index = ring.length - 1 - fromRight;
    if (index < 0 || index >= ring.length) {
      this.hideTip();
      return;
    }
    const words = this.series.map(({ name, ring: each }) => `${name}  ${this.options.words(each.at(index))}`);
    this.showTip(this.#x(index, ring), words.join("\n"));
  }
}

/** Bar chart over the last two minutes. */
export class BarChart extends Chart {
  constructor(host, ring, label) {
    super(host, label, { left: 30, right: 2, top: 6, bottom: 4 });
    this.ring = ring;
    this.path = shape("path", this.svg, "bar-mark");
  }

  draw() {
    if (!this.width) return;
    let most = 4;
    for (let i = 0; i < this.ring.length; i++) most = Math.max(most, this.ring.at(i));
    const ticks = linearTicks(most, 2);
    const y = (value) => this.bottom - (value / ticks.at(-1)) * (this.bottom - this.top);
    this.drawRows(ticks, y, format.roundCount);
    const step = (this.right - this.left) / this.ring.capacity;
    let path = "";
    for (let i = 0; i < this.ring.length; i++) {
      const value = this.ring.at(i);
      if (!(value > 0)) continue;
      const x = this.right - (this.ring.length - i) * step;
      path += `M${x.toFixed(1)} ${this.bottom}V${y(value).toFixed(1)}h${(step * 0.75).toFixed(1)}V${this.bottom}z`;
    }
    this.path.setAttribute("d", path);
    this.describe(`${format.count(this.ring.last())} in the last second`);
  }

  drawPointer() {
    const step = (this.right - this.left) / this.ring.capacity;
    const index = this.ring.length - 1 - Math.floor((this.right - this.pointer) / step);
    if (this.pointer === null || index < 0 || index >= this.ring.length) this.hideTip();
    else this.showTip(this.right - (this.ring.length - index - 0.5) * step, `${format.count(this.ring.at(index))} retransmissions`);
  }
}

/** Distribution of latencies: one outline per transport over a logarithmic axis. */
export class DistributionChart extends Chart {
  static PER_OCTAVE = 8;
  static BUCKETS = 176;
  static PATIENCE = 8;

  constructor(host, lanes) {
    super(host, "Distribution of latency", { left: 44, right: 12, top: 36, bottom: 24 });
    this.lanes = lanes.map(({ name, classes }) => ({
      name,
      shares: new Float64Array(DistributionChart.BUCKETS),
      area: shape("path", this.svg, `area ${classes}`),
      p50: this.#marker(classes),
      p99: this.#marker(classes),
    }));
    this.columns = Array.from({ length: 16 }, () => shape("text", this.svg, "", { "text-anchor": "middle" }));
    this.domain = [10, 1000];
    this.tooWide = 0;
    this.top99 = 0;
  }

  #marker(classes) {
    return {
      line: shape("line", this.svg, `mark-line ${classes}`),
      text: shape("text", this.svg, classes),
      micros: NaN,
    };
  }

  static low(bucket) {
    return 2 ** (bucket / DistributionChart.PER_OCTAVE);
  }

  update(lanes) {
    lanes.forEach((lane, i) => {
      const shown = this.lanes[i];
      const calls = lane.recent.calls;
      shown.shares.fill(0);
      if (calls > 0) lane.buckets.forEach((n, bucket) => (shown.shares[bucket] = n / calls));
      shown.p50.micros = calls > 0 ? lane.recent.p50 : NaN;
      shown.p99.micros = calls > 0 ? lane.recent.p99 : NaN;
    });
    this.#fitDomain();
    this.draw();
    this.describe(
      lanes.map((lane) => `${lane.name} half of the calls within ${format.time(lane.recent.p50)}, 99 % within ${format.time(lane.recent.p99)}`).join("; "),
    );
  }

  /** Widens the axis at once and narrows it only after a while, so that it does not flicker. */
  #fitDomain() {
    const visible = 0.0004;
    let first = Infinity;
    let last = -1;
    for (const { shares } of this.lanes) {
      shares.forEach((share, bucket) => {
        if (share >= visible) {
          first = Math.min(first, bucket);
          last = Math.max(last, bucket);
        }
      });
    }
    if (last < 0) return;
    const ends = [DistributionChart.low(first) / 1.15, DistributionChart.low(last + 1) * 1.15];
    const wider = ends[0] < this.domain[0] || ends[1] > this.domain[1];
    const narrower = ends[0] > this.domain[0] * 1.6 || ends[1] < this.domain[1] / 1.6;
    this.tooWide = narrower ? this.tooWide + 1 : 0;
    if (this.tooWide > DistributionChart.PATIENCE) {
      this.domain = ends;
      this.tooWide = 0;
    } else if (wider) {
      this.domain = [Math.min(ends[0], this.domain[0]), Math.max(ends[1], this.domain[1])];
    }
  }

  #x(micros) {
    const [from, to] = this.domain;
    const part = Math.log(micros / from) / Math.log(to / from);
    return this.left + part * (this.right - this.left);
  }

  draw() {
    if (!this.width) return;
    let most = 0;
    for (const { shares } of this.lanes) for (const share of shares) most = Math.max(most, share);
    const ticks = linearTicks(Math.max(most, 0.05), 4);
    const y = (value) => this.bottom - (value / ticks.at(-1)) * (this.bottom - this.top);
    this.drawRows(ticks, y, (value) => `${Math.round(value * 100)} %`);
    this.#drawColumns();
    this.lanes.forEach((lane, i) => {
      lane.area.setAttribute("d", this.#outline(lane.shares, y));
      this.#drawMarker(lane.p50, "p50", 11 + 14 * i);
      this.#drawMarker(lane.p99, "p99", 11 + 14 * i);
    });
    this.say(most > 0 ? "" : "no calls yet");
    this.drawPointer();
  }

  #drawColumns() {
    const room = Math.max(3, Math.floor((this.right - this.left) / 64));
    const all = [];
    for (let power = 0; power <= 7; power++) for (const factor of [1, 2, 5]) all.push(factor * 10 ** power);
    let inside = all.filter((micros) => micros >= this.domain[0] && micros <= this.domain[1]);
    if (inside.length > room) inside = inside.filter((micros) => Number.isInteger(Math.log10(micros)));
    this.columns.forEach((text, i) => {
      text.style.display = i < inside.length ? "" : "none";
      if (i >= inside.length) return;
      set(text, { x: this.#x(inside[i]), y: this.height - 4 });
      text.textContent = format.tick(inside[i]);
    });
  }

  #outline(shares, y) {
    let path = "";
    let open = false;
    let end = 0;
    shares.forEach((share, bucket) => {
      const low = DistributionChart.low(bucket);
      const high = DistributionChart.low(bucket + 1);
      if (share <= 0 || high < this.domain[0] || low > this.domain[1]) return;
      const x1 = Math.max(this.left, this.#x(low));
      const x2 = Math.min(this.right, this.#x(high));
      if (open && Math.abs(x1 - end) > 0.5) {
        path += `V${this.bottom}`;
        open = false;
      }
      path += open ? "" : `M${x1.toFixed(1)} ${this.bottom}`;
      path += `V${y(share).toFixed(1)}H${x2.toFixed(1)}`;
      open = true;
      end = x2;
    });
    return open ? `${path}V${this.bottom}` : path;
  }

  #drawMarker(marker, name, row) {
    const x = this.#x(marker.micros);
    const shown = Number.isFinite(x) && x >= this.left - 1 && x <= this.right + 1;
    marker.line.style.display = shown ? "" : "none";
    // On a narrow screen four labels would overlap.
    const worded = shown && (name === "p50" || this.width > 560);
    marker.text.style.display = worded ? "" : "none";
    if (!shown) return;
    set(marker.line, { x1: x, x2: x, y1: row + 4, y2: this.bottom });
    const words = `${name} ${format.time(marker.micros)}`;
    marker.text.textContent = words;
    const half = words.length * 3.1;
    set(marker.text, { x: Math.min(Math.max(x, this.left + half), this.right - half), y: row, "text-anchor": "middle" });
  }

  drawPointer() {
    if (this.pointer === null || this.pointer < this.left || this.pointer > this.right) {
      this.hideTip();
      return;
    }
    const part = (this.pointer - this.left) / (this.right - this.left);
    const micros = this.domain[0] * (this.domain[1] / this.domain[0]) ** part;
    const bucket = Math.floor(Math.log2(micros) * DistributionChart.PER_OCTAVE);
    const words = this.lanes.map(({ name, shares }) => `${name}  ${format.share(shares[bucket] ?? 0)}`);
    const range = `${format.time(DistributionChart.low(bucket))} to ${format.time(DistributionChart.low(bucket + 1))}`;
    this.showTip(this.pointer, [range, ...words].join("\n"));
  }
}
