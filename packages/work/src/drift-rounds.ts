import {
  comparisonAggregate,
  nextComparisonAt,
  type ComparedPart,
  type Comparison,
  type DifferenceSeverity,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import { defined, type Clock, type Logger } from "@hostledger/runtime";

import type { DriftReport } from "./drift.ts";
import { workKind, type AnyWorkKind, type EffectEnd } from "./engine/work-kind.ts";

export interface ComparisonOptions {
  readonly part: ComparedPart;
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Pick<Logger, "info">;
  /** Hours from the end of one comparison to the next. */
  readonly everyHours: number;
  /**
   * Compares, corrects nothing that costs money or a name, and stops when the signal aborts.
   * @param last the result of the last comparison
   * @returns a failure if nothing can be said, which is tried again after a pause and recorded nowhere
   */
  readonly compare: (
    signal: AbortSignal,
    last: Comparison | undefined,
  ) => Promise<DriftReport | Extract<EffectEnd, { readonly outcome: "failed" }>>;
  /** True while the store is an older backup that staff have not accepted: nothing is compared or recorded. Default: never. */
  readonly refusesWrites?: () => boolean;
  /** Has staff look at comparisons that fail again and again. Safe to repeat. */
  readonly tellOfFailures?: (reason: string) => Promise<void>;
}

const hourMs = 3_600_000;

/** Pause while nothing may be recorded, in milliseconds. */
const postponedMs = 60_000;

/** Pause after a start, which is no time for questions about everything, in milliseconds. */
const afterStartMs = 600_000;

/** Creates the work that compares a part of the books regularly and stores the result as an event; its key is the part. */
export function comparisonWork(options: ComparisonOptions): AnyWorkKind {
  const { commands, everyHours, part, tellOfFailures } = options;
  return workKind<{ readonly last: Comparison | undefined }, { readonly type: "compare" }>({
    name: "comparison",
    begins: { keys: [part], afterMs: afterStartMs },
    load: async () => ({ last: await lastComparison(commands, part) }),
    next({ last }, now) {
      const dueAt = nextComparisonAt(last, everyHours * hourMs, now);
      return dueAt > now ? { wait: dueAt } : { do: { type: "compare" } };
    },
    effects: {
      compare: {
        retry: { firstMs: 60_000, longestMs: hourMs },
        carryOut: (_effect, { last }, signal) => compareOnce(options, signal, last),
      },
    },
    ...defined({
      tellOfFailures: tellOfFailures && ((_part: string, reason: string) => tellOfFailures(reason)),
    }),
  });
}

/** Reads the result of the last comparison, made by any process. */
export async function lastComparison(
  commands: CommandHandler,
  part: ComparedPart,
): Promise<Comparison | undefined> {
  return (await commands.load(comparisonAggregate, part)).state.last;
}

async function compareOnce(
  { clock, commands, compare, logger, part, refusesWrites = () => false }: ComparisonOptions,
  signal: AbortSignal,
  last: Comparison | undefined,
): Promise<EffectEnd> {
  const postponed: EffectEnd = { outcome: "done", step: "postponed", againAfterMs: postponedMs };
  if (refusesWrites()) return postponed;
  const beganAt = clock.now();
  const report = await compare(signal, last);
  if ("outcome" in report) return report;
  if (refusesWrites()) return postponed;
  const { differences, unanswered, listed = [] } = report;
  if (signal.aborted) return { outcome: "done", step: "comparison cut off", againAfterMs: 0 };
  const count = (severity: DifferenceSeverity) =>
    differences.filter((found) => found.severity === severity).length;
  const found = { critical: count("critical"), major: count("major"), minor: count("minor") };
  const data = { part, ...found, unanswered: unanswered.length, listed, beganAt, at: clock.now() };
  const correlationId = `comparison-${part}-${beganAt}`;
  await commands.execute(
    comparisonAggregate,
    part,
    { type: "RecordComparison", data },
    { commandId: `${correlationId}/RecordComparison`, correlationId, actor: "process:comparison" },
  );
  logger.info({ part, ...found, unanswered }, "compared the books with what providers hold");
  return { outcome: "done", step: "compared" };
}
