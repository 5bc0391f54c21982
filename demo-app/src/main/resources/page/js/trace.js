/** What happened to one call: the way of both, on one scale, and a table of the steps. */
import * as format from "./format.js";

const STAGES = {
  SERIALIZE: { words: "Write the arguments", where: "client", look: "client" },
  QUEUE: { words: "Wait for the polling thread", where: "client", look: "wait" },
  THERE: { words: "Way to the server", where: "wire", look: "wire" },
  DISPATCH: { words: "Start a thread, read the arguments", where: "server", look: "server" },
  METHOD: { words: "The bean’s method", where: "server", look: "method" },
  ANSWER: { words: "Write the result", where: "server", look: "server" },
  BACK: { words: "Way back", where: "wire", look: "wire" },
  WAKE: { words: "Wake the caller", where: "client", look: "wait" },
  READ: { words: "Read the result", where: "client", look: "client" },
};

function make(name, classes = "", text = "") {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
}

function way(call, longest) {
  const box = make("div");
  const head = make("p", "call-head");
  head.append(make("b", `${call.name.toLowerCase()}-text`, call.name), make("span", "", call.failure ?? format.time(call.totalMicros)));
  const bar = make("div", "way");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", `${call.name}: ${format.time(call.totalMicros)} in all; the table has the steps`);
  for (const { stage, startMicros, micros } of call.stages) {
    const part = make("i", `stage-${STAGES[stage].look}`);
    part.title = `${STAGES[stage].words}: ${format.time(micros)}`;
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
  for (const title of ["Step", "Where", ...calls.map((call) => call.name)]) {
    const cell = make("th", "", title);
    cell.scope = "col";
    titles.append(cell);
  }
  titles.children[1].classList.add("where");
  titles.children[1].style.textAlign = "left";
  head.append(titles);
  const body = make("tbody");
  for (const [stage, { words, where, look }] of Object.entries(STAGES)) {
    const row = make("tr");
    const name = make("th");
    name.scope = "row";
    name.append(make("span", `swatch stage-${look}`), words);
    row.append(name, make("td", "", where));
    for (const call of calls) row.append(make("td", "", timeOf(call, stage) || "–"));
    body.append(row);
  }
  result.append(head, body);
  return result;
}

/** Shows the calls in place of those that were there. */
export function showCalls(host, calls) {
  const longest = Math.max(...calls.map((call) => call.totalMicros), 0.001);
  const ways = make("div", "calls");
  ways.append(...calls.map((call) => way(call, longest)));
  const scroll = make("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Steps of the call");
  scroll.append(table(calls));
  const notes = [];
  if (calls.some((call) => call.estimated)) notes.push("The processes’ clocks differ: the ways there and back are halves of what is left.");
  host.replaceChildren(ways, scale(longest), scroll, ...notes.map((words) => make("p", "note", words)));
}
