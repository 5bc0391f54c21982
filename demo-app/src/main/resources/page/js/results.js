/** Writes the results as text for other documents. */
import * as format from "./format.js";

const WORKLOADS = {
  PLACE: "place an order (sync)",
  PLACE_ASYNC: "place an order (async)",
  AMEND: "amend an order (sync)",
  FILLS: "read 32 fills (stream)",
  REPORT: "fetch a report (1.1 MiB)",
};

const SCHEDULES = { TURNS: "transports alternate", TOGETHER: "transports together", RDMA: "RDMA only", GRPC: "gRPC only", HTTP: "HTTP only" };

const micros = (value) => (Number.isFinite(value) && value > 0 ? value.toFixed(1) : "");
const whole = (value) => (Number.isFinite(value) ? value.toFixed(0) : "");

const COLUMNS = [
  ["p50 µs", (lane) => micros(lane.recent.p50)],
  ["p90 µs", (lane) => micros(lane.recent.p90)],
  ["p99 µs", (lane) => micros(lane.recent.p99)],
  ["p99.9 µs", (lane) => micros(lane.recent.p999)],
  ["max µs", (lane) => micros(lane.recent.max)],
  ["calls/s", (lane) => whole(lane.perSecond)],
  ["CPU µs/call", (lane) => micros(lane.cpuMicrosPerCall)],
  ["bytes/call", (lane) => whole(lane.bytesPerCall)],
  ["calls", (lane) => whole(lane.calls)],
  ["failed", (lane) => whole(lane.failures)],
];

function load({ workload, schedule, callers, payloadBytes, lossPercent }) {
  const parts = [WORKLOADS[workload], SCHEDULES[schedule], workload === "PLACE_ASYNC" ? `${callers} in flight` : `${callers} ${callers === 1 ? "caller" : "callers"}`];
  if (workload.startsWith("PLACE")) parts.push(`${format.bytes(payloadBytes)} payload`);
  parts.push(lossPercent ? `${lossPercent} % injected loss` : "no injected loss");
  return parts.join(", ");
}

function heading(snapshot) {
  return [
    `RDMA compared with gRPC and HTTP: ${snapshot.setup}`,
    `Load: ${load(snapshot.settings)}`,
    `Time: ${new Date(snapshot.at).toISOString()}, figures of the last 10 s, after a warm-up`,
    ...snapshot.notes.map((note) => `Note: ${note}`),
  ];
}

export function markdown(snapshot) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return [
    ...heading(snapshot).flatMap((line) => [line, ""]),
    row(["transport", ...COLUMNS.map(([title]) => title)]),
    row(["---", ...COLUMNS.map(() => "---:")]),
    ...snapshot.lanes.map((lane) => row([lane.name, ...COLUMNS.map(([, value]) => value(lane) || "–")])),
    "",
  ].join("\n");
}

/** Lines that begin with # describe the setup. The other lines are the table. */
export function csv(snapshot) {
  return [
    ...heading(snapshot).map((line) => `# ${line}`),
    ["transport", ...COLUMNS.map(([title]) => title)].join(","),
    ...snapshot.lanes.map((lane) => [lane.name, ...COLUMNS.map(([, value]) => value(lane))].join(",")),
    "",
  ].join("\n");
}
