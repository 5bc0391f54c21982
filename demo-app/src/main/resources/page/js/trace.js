/** Shows the stages of one call per transport: a timeline each, on a common scale, and a table. */
import * as format from "./format.js";

const STAGES = {
  SERIALIZE: { label: "Encode the arguments", where: "client", look: "client" },
  QUEUE: { label: "Wait for the polling thread", where: "client", look: "wait" },
  THERE: { label: "Request on the network", where: "wire", look: "wire" },
  DISPATCH: { label: "Start a thread, decode the arguments", where: "server", look: "server" },
  METHOD: { label: "The bean’s method", where: "server", look: "method" },
  ANSWER: { label: "Encode the result", where: "server", look: "server" },
  BACK: { label: "Response on the network", where: "wire", look: "wire" },
  WAKE: { label: "Wake the caller", where: "client", look: "wait" },
  READ: { label: "Decode the result", where: "client", look: "client" },
};

function make(name, classes = "", text = "") {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
}

function timeline(call, longest) {
  const box = make("div");
  const head = make("p", "call-head");
  head.append(make("b", `${call.name.toLowerCase()}-text`, call.name), make("span", "", call.failure ?? format.time(call.totalMicros)));
  const bar = make("div", "timeline");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", `${call.name}: ${format.time(call.totalMicros)} in total; the table lists the stages`);
  for (const { stage, startMicros, micros } of call.stages) {
    const part = make("i", `stage-${STAGES[stage].look}`);
    part.title = `${STAGES[stage].label}: ${format.time(micros)}`;
    part.style.left = `${(startMicros / longest) * 100}%`;
    part.style.width = `${(micros / longest) * 100}%`;
    bar.append(part);
  }
  box.append(head, bar);
  return box;
}

function scale(longest) {
  const line = make("p", "scale");
  for (const part of [0, 0.25, 0.5, 0.75, 1]) line.append(make("span", "", part ? format.time(longest * part) : "0"));
  return line;
}

function timeOf(call, stage) {
  const found = call.stages.find((each) => each.stage === stage);
  return found ? format.time(Math.max(found.micros, 0.001)) : "";
}

function table(calls) {
  const result = make("table", "numbers stages");
  const head = make("thead");
  const titles = make("tr");
  for (const title of ["Stage", "Where", ...calls.map((call) => call.name)]) {
    const cell = make("th", "", title);
    cell.scope = "col";
    titles.append(cell);
  }
  titles.children[1].classList.add("where");
  titles.children[1].style.textAlign = "left";
  head.append(titles);
  const body = make("tbody");
  for (const [stage, { label, where, look }] of Object.entries(STAGES)) {
    const row = make("tr");
    const name = make("th");
    name.scope = "row";
    name.append(make("span", `swatch stage-${look}`), label);
    row.append(name, make("td", "", where));
    for (const call of calls) row.append(make("td", "", timeOf(call, stage) || "–"));
    body.append(row);
  }
  result.append(head, body);
  return result;
}

/** Shows the traced calls in place of the previous ones. */
export function showCalls(host, calls) {
  const longest = Math.max(...calls.map((call) => call.totalMicros), 0.001);
  const timelines = make("div", "calls");
  timelines.append(...calls.map((call) => timeline(call, longest)));
  const scroll = make("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Stages of the call");
  scroll.append(table(calls));
  const notes = [];
  if (calls.some((call) => call.estimated)) notes.push("The clocks of the processes differ: both network stages are estimated as halves of the remaining time.");
  host.replaceChildren(timelines, scale(longest), scroll, ...notes.map((label) => make("p", "note", label)));
}
