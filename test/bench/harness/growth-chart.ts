/** A curve: its name, and its factor over the smallest size at each size. */
export interface Curve {
  readonly what: string;
  readonly ratios: readonly number[];
}

const width = 720;
const height = 420;
const frame = { left: 60, right: 250, top: 30, bottom: 50 } as const;
const colours = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#555555"] as const;

/**
 * Draws curves over sizes with logarithmic axes: constant values stay on the line of 1.
 * @param sizes in events, ascending
 */
export function growthChart(sizes: readonly number[], curves: readonly Curve[]): string {
  const [least = 1, most = 1] = [sizes[0], sizes.at(-1)];
  const all = curves.flatMap(({ ratios }) => ratios);
  const [low, high] = [Math.min(0.5, ...all), Math.max(2, ...all)];
  const plot = { width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };
  const x = (size: number) => frame.left + plot.width * share(size, least, Math.max(most, least * 10));
  const y = (ratio: number) => frame.top + plot.height * (1 - share(ratio, low, high));
  const columns = sizes.map((size) =>
    text(x(size), height - frame.bottom + 20, size.toLocaleString("en"), "middle"),
  );
  const lines = curves.flatMap(({ what, ratios }, at) => {
    const colour = colours[at % colours.length] ?? "black";
    const points = ratios.map((ratio, size) => `${shown(x(sizes[size] ?? least))},${shown(y(ratio))}`);
    const last = `${(ratios.at(-1) ?? 1).toFixed(2)} ×  ${what}`;
    return [
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      text(width - frame.right + 12, frame.top + 20 * (at + 1), last, "start", colour),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<line x1="${String(frame.left)}" x2="${String(width - frame.right)}" y1="${shown(y(1))}" y2="${shown(y(1))}" stroke="#999" stroke-dasharray="4"/>`,
    text(frame.left - 8, y(1) + 4, "1 ×", "end"),
    text(frame.left - 8, y(high) + 4, `${high.toFixed(1)} ×`, "end"),
    text(frame.left - 8, y(low) + 4, `${low.toFixed(1)} ×`, "end"),
    ...columns,
    text(frame.left + plot.width / 2, height - 10, "events in the store", "middle"),
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the place of a value between two others, on a logarithmic axis. */
function share(value: number, least: number, most: number): number {
  return Math.log(value / least) / Math.log(most / least);
}

function text(x: number, y: number, content: string, anchor: string, colour = "black"): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${shown(x)}" y="${shown(y)}" text-anchor="${anchor}" fill="${colour}">${escaped}</text>`;
}

function shown(value: number): string {
  return value.toFixed(1);
}
