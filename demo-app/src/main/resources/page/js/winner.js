/** Finds the transport with the best figure. */
import * as format from "./format.js";

/** Factor below which two figures count as equal. */
const EQUAL = 1.05;

/**
 * @param values a figure for each transport; a figure that is not above 0 is unknown
 * @param lower whether lower is better
 * @returns the indexes of the best and of the second transport and the factor between them, or null if fewer than two
 *     figures are known
 */
export function winner(values, lower) {
  const known = values.map((value, index) => ({ value, index })).filter(({ value }) => Number.isFinite(value) && value > 0);
  if (known.length < 2) return null;
  known.sort((a, b) => (lower ? a.value - b.value : b.value - a.value));
  const [best, second] = known;
  const factor = lower ? second.value / best.value : best.value / second.value;
  return { best: best.index, second: second.index, factor };
}

/** @returns a phrase such as "RDMA, 4.2× lower than gRPC" */
export function phrase(won, names, lower) {
  if (!won) return "";
  const [best, second] = [names[won.best], names[won.second]];
  if (won.factor < EQUAL) return `${best} and ${second} about equal`;
  return `${best}, ${format.times(won.factor, 1)} ${lower ? "lower" : "higher"} than ${second}`;
}

/** @returns a few characters for a table, such as "RDMA 4.2×" */
export function brief(won, names) {
  if (!won) return "–";
  return won.factor < EQUAL ? "about equal" : `${names[won.best]} ${format.times(won.factor, 1)}`;
}
