// @ts-check
/** Elements and drawings. Text is always set as text: nothing from the log becomes markup. */

/**
 * Shows that a mark stands where it would turn the direction of the text around it, a figure's for example.
 * @param {string} text
 */
export function visible(text) {
  return text.replaceAll(/\p{Bidi_Control}/gu, "\ufffd");
}

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} children */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {(Node | string)[]} children */
function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/** Cents (EUR) in words of digits. @param {string | number | undefined} cents absent means 0, as protobuf JSON says */
export function euros(cents = 0) {
  const value = BigInt(cents);
  const size = value < 0n ? -value : value;
  return `${value < 0n ? "−" : ""}${size / 100n}.${String(size % 100n).padStart(2, "0")} EUR`;
}

/** Balance over time as steps; the table of movements says the same. @param {any[]} movements @param {number} shown how many count */
export function balanceChart(movements, shown) {
  const values = movements.map(({ balanceAfterCents = 0 }) => Number(balanceAfterCents));
  const times = movements.map(({ time }) => Date.parse(time));
  const [start = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? 0) - start);
  const top = Math.max(1, ...values);
  const x = (/** @type {number} */ at) => 10 + (580 * ((times[at] ?? start) - start)) / span;
  const y = (/** @type {number} */ value) => 150 - (140 * value) / top;
  let line = `M10 ${y(0)}`;
  values.forEach((value, at) => (line += `H${x(at)}V${y(value)}`));
  const mark = Math.max(0, shown - 1);
  return shape(
    "svg",
    {
      viewBox: "0 0 600 160",
      role: "img",
      "aria-label": `Balance over ${values.length} movements; the table below has the figures`,
    },
    shape("path", { d: line, class: "line" }),
    shape("text", { x: 16, y: 14, class: "scale" }, euros(top)),
    shape("line", { x1: x(mark), x2: x(mark), y1: 5, y2: 155, class: "mark" }),
  );
}

/** From what caused an invoice to how it ended. */
const phases = ["request", "charge", "order", "zone", "delivery", "refund"];
const phaseNames = new Map([["delivery", "done"]]);

/** The phases of an explanation from left to right; the list below it has every step. @param {any[]} steps */
export function stepsPicture(steps) {
  const kinds = new Set(steps.map(({ kind }) => kind));
  const shown = phases.filter((phase) => kinds.has(phase));
  const boxes = shown.flatMap((kind, at) => [
    ...(at === 0 ? [] : [shape("path", { d: `M${at * 130 - 24} 30h18l-6 -5m6 5l-6 5`, class: "line" })]),
    shape("rect", {
      x: at * 130 + 2,
      y: 8,
      width: 100,
      height: 44,
      rx: 6,
      class: kind === "refund" ? "step refund" : "step",
    }),
    shape("text", { x: at * 130 + 52, y: 35, "text-anchor": "middle" }, phaseNames.get(kind) ?? kind),
  ]);
  const label = `Steps: ${shown.map((kind) => phaseNames.get(kind) ?? kind).join(", then ")}`;
  return shape(
    "svg",
    { viewBox: `0 0 ${Math.max(1, shown.length) * 130} 60`, role: "img", "aria-label": label },
    ...boxes,
  );
}
