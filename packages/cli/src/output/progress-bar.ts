import { grouped } from "@hostledger/core";

import type { Io } from "../io.ts";

/** Interval between redraws in milliseconds. */
const redrawMilliseconds = 100;
/** Delay before the first drawing in milliseconds, so that short work shows no bar. */
const quietMilliseconds = 300;
const widestBar = 30;
const usualColumns = 80;
const figuresColumns = 60;

export interface ProgressBar {
  readonly report: (done: number, total: number) => void;
  /** Removes the bar before other output. */
  readonly end: () => void;
}

/** Creates a bar with an estimate on standard error; does nothing if standard error is no terminal. */
export function progressBar(
  { err, errColumns, timing }: Pick<Io, "err" | "errColumns" | "timing">,
  what: string,
): ProgressBar {
  if (errColumns === undefined) return { report: () => undefined, end: () => undefined };
  // Terminals of unknown width report 0.
  const columns = errColumns > 0 ? errColumns : usualColumns;
  const begunAt = timing.monotonicMilliseconds();
  let drawnAt: number | undefined;
  return {
    report(done, total) {
      const now = timing.monotonicMilliseconds();
      if (now - (drawnAt ?? begunAt) < (drawnAt === undefined ? quietMilliseconds : redrawMilliseconds))
        return;
      drawnAt = now;
      const line = barLine({
        done,
        total,
        what,
        elapsedSeconds: (now - begunAt) / 1_000,
        columns,
      });
      // Cut to the terminal's width, because a carriage return cannot redraw wrapped lines.
      err(`\r${line.slice(0, columns - 1)}\u001b[K`);
    },
    end() {
      if (drawnAt !== undefined) err("\r\u001b[K");
      drawnAt = undefined;
    },
  };
}

interface Drawing {
  readonly done: number;
  readonly total: number;
  readonly what: string;
  readonly elapsedSeconds: number;
  readonly columns: number;
}

function barLine({ done, total, what, elapsedSeconds, columns }: Drawing): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const width = Math.max(0, Math.min(widestBar, columns - figuresColumns));
  const filled = Math.round(share * width);
  const bar = width === 0 ? "" : `[${"#".repeat(filled)}${"-".repeat(width - filled)}] `;
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const left = share === 0 ? "" : `, ${duration((elapsedSeconds / share) * (1 - share))} left`;
  return `${bar}${percent}  ${grouped(done)} of ${grouped(total)} ${what}${left}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60
    ? `${String(minutes)} min`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
