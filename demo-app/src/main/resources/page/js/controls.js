/** The form with the controls: sends the wanted settings to the server and shows the current ones. */

const CALLERS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const PAYLOADS = [0, 128, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];
const LOSSES = [0, 0.1, 0.5, 1, 2, 5, 10];

const PAUSE_MILLIS = 200;
/** How long the form shows the user's choice while the server has not confirmed it, in milliseconds. */
const PATIENCE_MILLIS = 6000;

const SCHEDULE_NOTES = {
  TURNS: "Each transport works alone for a third of a second, so that none slows the others down.",
  TOGETHER: "All at the same time: they share the processors, so that CPU time per transport is unknown.",
  RDMA: "Only RDMA works.",
  GRPC: "Only gRPC works.",
  HTTP: "Only HTTP works.",
};

function payloadWords(bytes) {
  if (bytes >= 1_048_576) return `${bytes / 1_048_576} MiB`;
  return bytes >= 1024 ? `${bytes / 1024} KiB` : `${bytes} B`;
}

function nearest(values, wanted) {
  return values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);
}

export class Controls {
  #form;
  #fields;
  #outputs;
  #send;
  #timer = 0;
  #pending = null;
  #pendingUntil = 0;

  /** @param send function that sends the settings and returns a promise */
  constructor(form, send) {
    this.#form = form;
    this.#send = send;
    this.#fields = { callers: form.callers, payload: form.payload, loss: form.loss };
    this.#outputs = {
      callers: form.querySelector("#callers-value"),
      payload: form.querySelector("#payload-value"),
      loss: form.querySelector("#loss-value"),
    };
    form.addEventListener("input", () => this.#changed());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#describe();
  }

  #settings() {
    return {
      workload: this.#form.workload.value,
      schedule: this.#form.schedule.value,
      callers: CALLERS[this.#fields.callers.value],
      payloadBytes: PAYLOADS[this.#fields.payload.value],
      lossPercent: LOSSES[this.#fields.loss.value],
    };
  }

  #changed() {
    this.#describe();
    this.#pending = this.#settings();
    this.#pendingUntil = performance.now() + PATIENCE_MILLIS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(this.#pending), PAUSE_MILLIS);
  }

  #describe() {
    const { workload, schedule, callers, payloadBytes, lossPercent } = this.#settings();
    const async = workload === "PLACE_ASYNC";
    this.#say("callers", async ? `${callers} in flight` : `${callers} ${callers === 1 ? "caller" : "callers"}`);
    this.#say("payload", payloadWords(payloadBytes));
    this.#say("loss", lossPercent ? `${lossPercent} %` : "none");
    this.#fields.payload.disabled = !workload.startsWith("PLACE");
    this.#form.querySelector("#schedule-note").textContent = SCHEDULE_NOTES[schedule];
  }

  #say(name, words) {
    this.#outputs[name].textContent = words;
    this.#fields[name].setAttribute("aria-valuetext", words);
  }

  /** Shows the server's settings, unless the user has just chosen other ones. */
  show(settings, takesFaults) {
    this.#fields.loss.disabled = !takesFaults;
    const same = this.#pending && Object.keys(this.#pending).every((key) => this.#pending[key] === settings[key]);
    if (this.#pending && !same && performance.now() < this.#pendingUntil) return;
    this.#pending = null;
    this.#form.workload.value = settings.workload;
    this.#form.schedule.value = settings.schedule;
    this.#fields.callers.value = nearest(CALLERS, settings.callers);
    this.#fields.payload.value = nearest(PAYLOADS, settings.payloadBytes);
    this.#fields.loss.value = nearest(LOSSES, settings.lossPercent);
    this.#describe();
  }
}
