import { addMilliseconds, type Comparison } from "@hostledger/core";
import type { PaymentProvider } from "@hostledger/providers";
import type { Logger } from "@hostledger/runtime";
import { accountRecorder } from "@hostledger/store";
import {
  comparisonWork,
  DriftRound,
  followDifferences,
  requestDailyWorkTicket,
  type AnyWorkKind,
  type ComparisonOptions,
} from "@hostledger/work";

import { PaymentRound, type PaymentRoundOptions } from "./payment-round.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface PaymentComparisonOptions extends Omit<PaymentRoundOptions, "provider"> {
  /** The payment providers of this process: the one that takes payments, and the one before. */
  readonly providers: readonly PaymentProvider[];
  readonly logger: Pick<Logger, "info">;
  /** Hours from the end of one comparison to the next. */
  readonly everyHours: number;
  /** True while the store is an older backup that staff have not accepted: no money moves. */
  readonly refusesWrites: () => boolean;
}

const dayMs = 86_400_000;

/** Days before the last comparison that are compared once more: providers may list a movement late. */
const overlapDays = 3;

/** Days that a comparison looks back at most, also after an outage; as long as a payment waits for its customer. */
const mostDays = 60;

/**
 * Returns the work that compares what payment providers list with the payments of the books, once a day. Money that a provider has and
 * the books lack is asked about and credited as usual; staff get a ticket for everything else that differs (ADR 0194).
 */
export function paymentComparisonWork(options: PaymentComparisonOptions): AnyWorkKind {
  const { accounts, clock, everyHours, logger, providers, refusesWrites } = options;
  const name = providers[0]?.name ?? "";
  return comparisonWork({
    part: "payments",
    commands: accounts.commands,
    clock,
    logger,
    everyHours,
    refusesWrites,
    compare: (signal, last) => comparePayments(options, signal, last),
    tellOfFailures: (reason) =>
      requestDailyWorkTicket(
        ticketOptions({ accounts, clock }),
        { work: `payments-${name}`, about: "customers' payments" },
        reason,
      ),
  });
}

/** Compares the payments of all providers. A list that a provider does not give whole is a failure, and nothing is recorded. */
async function comparePayments(
  options: PaymentComparisonOptions,
  signal: AbortSignal,
  last: Comparison | undefined,
): ReturnType<ComparisonOptions["compare"]> {
  const { accounts, clock, providers, refusesWrites } = options;
  const to = clock.now();
  const round = new DriftRound(false, signal);
  const compared: PaymentRound[] = [];
  for (const provider of providers) {
    const from = startOfSpan(last, provider.name, to);
    const of = new PaymentRound({ ...options, provider }, round, { from, to });
    const failure = await of.compare();
    if (failure !== undefined) return failure;
    compared.push(of);
  }
  const report = { ...round.report(), listed: compared.map((one) => one.listed()) };
  if (round.isCutOff || refusesWrites()) return report;
  await followDifferences(
    { commands: accounts.commands, clock },
    {
      part: "payments",
      report,
      recordedBy: accountRecorder,
      lookAgain: async (resource) => {
        for (const one of compared) if ((await one.agreesAbout(resource)) === true) return [];
        return undefined;
      },
    },
  );
  return report;
}

/** Returns the start of the span to compare: some days before the last comparison with this provider, within a limit. */
function startOfSpan(last: Comparison | undefined, provider: string, now: string): string {
  const earliest = addMilliseconds(now, -mostDays * dayMs);
  const isKnown = last?.listed.some((listed) => listed.provider === provider) === true;
  // A wrong clock may have recorded a comparison of the future.
  if (last === undefined || !isKnown || last.beganAt > now) return earliest;
  const from = addMilliseconds(last.beganAt, -overlapDays * dayMs);
  return from > earliest ? from : earliest;
}
