/**
 * Charts drawn by uPlot. Each has a tooltip for the pointer, a cursor for the arrow keys, and a summary in words. A chart
 * creates its elements once, so that the document never grows.
 */
import uPlot from "../vendor/uplot/uPlot.esm.js";
import * as format from "./format.js";

const FONT = '11px Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/* A canvas needs resolved colors. An element resolves those of the style sheet. */
const colors = new Map();
const probe = document.createElement("i");
probe.hidden = true;
document.body.append(probe);

function color(name) {
  if (!colors.has(name)) {
    probe.style.color = `var(--${name})`;
    colors.set(name, getComputedStyle(probe).color);
  }
  return colors.get(name);
}

function make(name, classes) {
  const element = document.createElement(name);
  element.className = classes;
  return element;
}

function axis(options) {
  return {
    stroke: () => color("muted"),
    font: FONT,
    ticks: { show: false },
    gap: 6,
    ...options,
    grid: { stroke: () => color("line"), width: 1, ...options.grid },
  };
}

function line(name, width = 1.75, dash = []) {
  return { stroke: () => color(name), width, dash, points: { show: false } };
}

class Chart {
  static #all = [];

  #host;
  #tip = make("div", "tip");
  #summary = make("p", "hidden");
  #empty = make("p", "empty");
  #announcer = document.getElementById("announcer");
  #byKeyboard = false;

  /** Redraws all charts, because the colors of the style sheet have changed. */
  static refreshColors() {
    colors.clear();
    Chart.#all.forEach((chart) => chart.plot.redraw(false, true));
  }

  /** @param label name of the chart for screen readers */
  constructor(host, label) {
    this.#host = host;
    this.#summary.id = `${host.id}-summary`;
    this.#tip.hidden = true;
    host.tabIndex = 0;
    host.setAttribute("role", "application");
    host.setAttribute("aria-roledescription", "chart");
    host.setAttribute("aria-label", `${label}. The left and right arrow keys move the cursor.`);
    host.setAttribute("aria-describedby", this.#summary.id);
    host.addEventListener("keydown", (event) => this.#press(event));
    host.addEventListener("blur", () => this.#hideCursor());
    host.addEventListener("pointermove", () => {
      this.#byKeyboard = false;
    });
  }

  /** Creates the plot. @param options options of uPlot without sizes, with functions that may use this object */
  build(options) {
    const host = this.#host;
    this.plot = new uPlot(
      {
        width: Math.max(host.clientWidth, 1),
        height: Math.max(host.clientHeight, 1),
        legend: { show: false },
        select: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: options.points ?? true, size: 6 } },
        ...options,
        hooks: { ...options.hooks, setCursor: [() => this.#showTip()] },
      },
      options.series.map(() => []),
      host,
    );
    host.append(this.#empty, this.#tip, this.#summary);
    new ResizeObserver(() => this.plot.setSize({ width: host.clientWidth, height: host.clientHeight })).observe(host);
    Chart.#all.push(this);
  }

  /**
   * @param data columns for uPlot
   * @param summary text alternative of the chart
   * @param isEmpty whether there is nothing to see
   */
  show(data, summary, isEmpty) {
    this.plot.setData(data);
    this.#summary.textContent = summary;
    this.#empty.textContent = isEmpty ? "no calls yet" : "";
    this.#showTip();
  }

  /** @returns the text of the tooltip at an index, or null if there is nothing */
  describe() {
    return null;
  }

  #showTip() {
    if (!this.plot) return;
    const { idx, left } = this.plot.cursor;
    const text = left >= 0 && idx !== null && idx !== undefined ? this.describe(idx) : null;
    this.#tip.hidden = text === null;
    if (text === null) return;
    if (this.#tip.textContent !== text) this.#tip.textContent = text;
    const at = this.plot.over.offsetLeft + left;
    const room = this.#host.clientWidth - at - this.#tip.offsetWidth - 12;
    this.#tip.style.left = `${room > 0 ? at + 10 : Math.max(0, at - this.#tip.offsetWidth - 10)}px`;
  }

  #hideCursor() {
    if (this.#byKeyboard) this.plot.setCursor({ left: -10, top: -10 });
    this.#byKeyboard = false;
  }

  #press(event) {
    if (event.key === "Escape") this.#hideCursor();
    const step = KEYS[event.key];
    const [first, last] = this.plot.series[0].idxs ?? [];
    if (step === undefined || !(last >= first)) return;
    event.preventDefault();
    const { idx, left } = this.plot.cursor;
    const from = left >= 0 && idx !== null ? idx : this.start(first, last) - Math.sign(step);
    const index = Math.min(Math.max(from + step, first), last);
    this.#byKeyboard = true;
    this.plot.setCursor({ left: this.plot.valToPos(this.plot.data[0][index], "x"), top: 0 });
    this.#announcer.textContent = (this.describe(index) ?? "").replaceAll("\n", ", ");
  }

  /** @returns the index at which the keyboard's cursor appears */
  start(first, last) {
    return last;
  }
}

export const refreshColors = Chart.refreshColors;

/** Returns 1, 2, 5, 10, 20 and so on, from the last one up to `least` to the first one from `most`. */
function roundSteps(least, most) {
  const all = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
    for (const factor of [1, 2, 5]) all.push(Number((factor * 10 ** power).toPrecision(1)));
  }
  const from = all.findLastIndex((step) => step <= least);
  const to = all.findIndex((step) => step >= most);
  return all.slice(Math.max(0, from), to < 0 ? undefined : to + 1);
}

/** Keeps the ends and about `wanted` steps. */
function thin(steps, wanted) {
  const every = Math.ceil((steps.length - 1) / wanted);
  return every <= 1 ? steps : steps.filter((step, i) => i % every === 0 && (i + every <= steps.length - 1 || i === steps.length - 1));
}

/** Lines or bars over the last two minutes. */
export class TimeChart extends Chart {
  static SECONDS = 120;

  #series;
  #options;
  #points = [];

  /**
   * @param series {name, color, thin, value}: `value` returns the figure of a point, null or NaN if it is unknown
   * @param options {label, log, bars, words, axis, least}: functions that format a value and an axis label, and the
   *     lowest upper end of a linear scale
   */
  constructor(host, series, options) {
    super(host, options.label);
    const { log, bars, least = 0 } = options;
    this.#series = series;
    this.#options = options;
    this.build({
      padding: [8, bars ? 2 : 14, bars ? 4 : 0, 0],
      points: !bars,
      scales: {
        x: { time: false, range: [-TimeChart.SECONDS, bars ? 1 : 0] },
        y: log
          ? { distr: 3, range: (_, from, to) => (from > 0 ? [roundSteps(from, to)[0], roundSteps(from, to).at(-1)] : [10, 100]) }
          : { range: (_, from, to) => [0, Math.max(least, (to ?? 0) * 1.08) || 1] },
      },
      axes: [
        axis({
          show: !bars,
          size: 22,
          grid: { show: false },
          splits: () => [-TimeChart.SECONDS, -TimeChart.SECONDS / 2, 0],
          values: () => ["2 min ago", "1 min ago", "now"],
        }),
        axis({
          size: bars ? 34 : 54,
          space: bars ? 24 : 30,
          values: (_, splits) => splits.map(options.axis),
          ...(log && { splits: (plot) => thin(roundSteps(plot.scales.y.min, plot.scales.y.max), 5), filter: (_, splits) => splits }),
        }),
      ],
      series: [
        {},
        ...series.map((each) =>
          bars
            ? { fill: () => color(each.color), width: 0, paths: uPlot.paths.bars({ size: [0.8, 6] }), points: { show: false } }
            : line(each.color, each.thin ? 1.5 : 1.75, each.thin ? [2, 3] : []),
        ),
      ],
      hooks: { drawClear: [(plot) => this.#shadeWarmUps(plot)] },
    });
  }

  /** @param points at most two minutes of points, the newest last */
  draw(points) {
    this.#points = points;
    const columns = this.#series.map(({ value }) => points.map((point) => this.#known(value(point))));
    const latest = this.#series.map(({ name }, i) => `${name} ${this.#options.words(columns[i].at(-1) ?? NaN)}`);
    const isEmpty = !this.#options.bars && columns.every((column) => column.every((value) => value === null));
    this.show([points.map((_, i) => i - points.length + 1), ...columns], `Now: ${latest.join(", ")}.`, isEmpty);
  }

  #known(value) {
    return Number.isFinite(value) && (value > 0 || !this.#options.log) ? value : null;
  }

  describe(index) {
    const point = this.#points[index];
    if (!point) return null;
    const age = this.#points.length - 1 - index;
    const when = `${age === 0 ? "now" : `${age} s ago`}${point.warm ? "" : ", warm-up"}`;
    return [when, ...this.#series.map(({ name, value }) => `${name}  ${this.#options.words(value(point) ?? NaN)}`)].join("\n");
  }

  #shadeWarmUps(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = color("raised");
    this.#points.forEach((point, i) => {
      if (point.warm) return;
      const at = i - this.#points.length + 1;
      const [from, to] = [at - 1, at].map((x) => Math.max(bbox.left, plot.valToPos(x, "x", true)));
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    });
    ctx.restore();
  }
}

/** The distribution of latencies on a logarithmic axis. */
export class DistributionChart extends Chart {
  /* The same scale as in LatencyScale.java. */
  static PER_OCTAVE = 8;
  /** Number of updates before the axis becomes narrower. */
  static PATIENCE = 10;
  /** Share of calls below which a bucket does not widen the axis. */
  static VISIBLE = 0.0004;

  #lanes;
  #domain = [10, 1000];
  #tooWide = 0;

  static low(bucket) {
    return 2 ** (bucket / DistributionChart.PER_OCTAVE);
  }

  /** @param lanes {name, color} */
  constructor(host, lanes) {
    super(host, "Distribution of latencies of the last ten seconds");
    this.#lanes = lanes.map((lane) => ({ ...lane, shares: [], recent: null }));
    this.build({
      padding: [8 + 14 * lanes.length, 14, 0, 0],
      points: false,
      scales: {
        x: { time: false, distr: 3, range: () => this.#domain },
        y: { range: (_, from, to) => [0, Math.max(0.05, (to ?? 0) * 1.05)] },
      },
      axes: [
        axis({
          size: 22,
          grid: { show: false },
          splits: (plot) => thin(roundSteps(...this.#domain).filter((step) => step >= this.#domain[0] && step <= this.#domain[1]), Math.max(3, Math.floor(plot.width / 64))),
          filter: (_, splits) => splits,
          values: (_, splits) => splits.map(format.tick),
        }),
        axis({ size: 46, space: 34, incrs: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5], values: (_, splits) => splits.map((value) => `${Math.round(value * 100)} %`) }),
      ],
      series: [
        {},
        ...lanes.map((lane) => ({
          ...line(lane.color, 1.5),
          fill: () => color(`${lane.color}-soft`),
          paths: uPlot.paths.stepped({ align: 1 }),
        })),
      ],
      hooks: { draw: [(plot) => this.#drawMarkers(plot)] },
    });
  }

  draw(lanes) {
    lanes.forEach(({ buckets, recent }, i) => {
      const total = buckets.reduce((sum, count) => sum + count, 0);
      this.#lanes[i].shares = buckets.map((count) => (total ? count / total : 0));
      this.#lanes[i].recent = recent;
    });
    this.#fitDomain();
    const lows = this.#lanes[0].shares.map((_, bucket) => DistributionChart.low(bucket));
    const columns = this.#lanes.map(({ shares }) =>
      // An outline reaches the axis at its ends and has no line along the axis.
      shares.map((share, i) => (share > 0 || shares[i - 1] > 0 || shares[i + 1] > 0 ? share : null)),
    );
    const words = this.#lanes.map(({ name, recent }) =>
      recent.calls ? `${name}: half of the calls within ${format.time(recent.p50)}, 99 % within ${format.time(recent.p99)}.` : `${name}: no calls.`,
    );
    this.show([lows, ...columns], words.join(" "), lanes.every(({ recent }) => !recent.calls));
  }

  /** Widens the axis at once and narrows it only after a while, so that it does not flicker. */
  #fitDomain() {
    const visible = this.#lanes.flatMap(({ shares }) => shares.flatMap((share, bucket) => (share >= DistributionChart.VISIBLE ? [bucket] : [])));
    if (!visible.length) return;
    const ends = [DistributionChart.low(Math.min(...visible)) / 1.15, DistributionChart.low(Math.max(...visible) + 1) * 1.15];
    const wider = ends[0] < this.#domain[0] || ends[1] > this.#domain[1];
    const narrower = ends[0] > this.#domain[0] * 1.6 || ends[1] < this.#domain[1] / 1.6;
    this.#tooWide = narrower ? this.#tooWide + 1 : 0;
    if (this.#tooWide > DistributionChart.PATIENCE) {
      this.#domain = ends;
      this.#tooWide = 0;
    } else if (wider) {
      this.#domain = [Math.min(ends[0], this.#domain[0]), Math.max(ends[1], this.#domain[1])];
    }
  }

  #drawMarkers(plot) {
    const { ctx, bbox, width } = plot;
    const scale = uPlot.pxRatio;
    ctx.save();
    ctx.textBaseline = "alphabetic";
    ctx.font = FONT.replace("11px", `500 ${11 * scale}px`);
    ctx.lineWidth = scale;
    this.#lanes.forEach(({ recent, color: name }, i) => {
      if (!recent?.calls) return;
      ctx.strokeStyle = ctx.fillStyle = color(name);
      const row = bbox.top - (8 + 14 * (this.#lanes.length - 1 - i)) * scale;
      for (const [label, micros] of [["p50", recent.p50], ["p99", recent.p99]]) {
        const x = plot.valToPos(micros, "x", true);
        if (!(x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1)) continue;
        ctx.setLineDash([3 * scale, 3 * scale]);
        ctx.beginPath();
        ctx.moveTo(x, row + 3 * scale);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        // On a narrow screen the labels would overlap.
        if (label !== "p50" && width < 560) continue;
        const words = `${label} ${format.time(micros)}`;
        const half = ctx.measureText(words).width / 2;
        ctx.textAlign = "center";
        ctx.fillText(words, Math.min(Math.max(x, bbox.left + half), bbox.left + bbox.width - half), row);
      }
    });
    ctx.restore();
  }

  describe(bucket) {
    const words = this.#lanes.map(({ name, shares }) => `${name}  ${format.share(shares[bucket] ?? 0)}`);
    const range = `${format.time(DistributionChart.low(bucket))} to ${format.time(DistributionChart.low(bucket + 1))}`;
    return [range, ...words].join("\n");
  }

  /** Starts at the most frequent latency. */
  start(first) {
    const best = this.#lanes.map(({ shares }) => Math.max(...shares)).reduce((most, share, i, all) => (share > all[most] ? i : most), 0);
    const { shares } = this.#lanes[best];
    return Math.max(first, shares.indexOf(Math.max(...shares)));
  }
}
