/** Formats numbers. Times are in microseconds. */

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const NONE = "–";

/** Formats a number with about three digits. */
function digits(value) {
  if (value >= 100) return plain.format(value);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/** @returns {[string, string]} the number and its unit */
export function timeParts(micros) {
  if (!isNumber(micros) || micros <= 0) return [NONE, ""];
  if (micros >= 1e6) return [digits(micros / 1e6), "s"];
  return micros >= 1000 ? [digits(micros / 1000), "ms"] : [digits(micros), "µs"];
}

export function time(micros) {
  return timeParts(micros).join(" ").trim();
}

/** Formats a round time for an axis. */
export function tick(micros) {
  if (micros >= 1e6) return `${micros / 1e6} s`;
  return micros >= 1000 ? `${micros / 1000} ms` : `${micros} µs`;
}

export function count(value) {
  return isNumber(value) ? plain.format(value) : NONE;
}

export function short(value) {
  if (!isNumber(value)) return NONE;
  if (value >= 1e6) return `${digits(value / 1e6)}M`;
  return value >= 10_000 ? `${digits(value / 1000)}k` : plain.format(value);
}

/** Formats a round number for an axis. */
export function roundCount(value) {
  if (value >= 1e6) return `${value / 1e6}M`;
  return value >= 10_000 ? `${value / 1000}k` : plain.format(value);
}

export function bytes(value) {
  if (!isNumber(value)) return NONE;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${Number.isInteger(rest) || unit === 0 ? plain.format(rest) : digits(rest)} ${units[unit]}`;
}

export function share(value) {
  return isNumber(value) ? `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %` : NONE;
}

export function cpus(value) {
  return isNumber(value) ? value.toFixed(2) : NONE;
}

/** @returns a ratio such as "6.4×", or a dash if a value is missing */
export function times(of, to) {
  if (!isNumber(of) || !isNumber(to) || of <= 0 || to <= 0) return NONE;
  const ratio = of / to;
  if (ratio >= 10) return `${ratio.toFixed(0)}×`;
  return `${ratio >= 1 ? ratio.toFixed(1) : ratio.toFixed(2)}×`;
}
