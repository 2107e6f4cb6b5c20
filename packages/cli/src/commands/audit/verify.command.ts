import { counted, formatEuros, grouped } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import {
  findingLine,
  passedOverLines,
  readBundle,
  verifyLog,
  type LogSource,
  type PassedOver,
  type Verification,
} from "@hostledger/audit/verification";
import type { Command } from "commander";
import { parseText } from "../../arguments/value-parsers.ts";
import type { AuditOptions } from "../../audit/audit-address.ts";
import type { AuditClient } from "../../audit/audit-client.ts";
import { askAudit } from "../../audit/audit-command.ts";
import { openLiveLog } from "../../audit/live-log.ts";
import { parseKey, readCheckpointFile, refusingBundleErrors } from "../../audit/verification-options.ts";
import type { CommandContext } from "../../command-context.ts";
import { wrongUsage } from "../../exit-code.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { reply, type Answer } from "../../output/reply.ts";
import { printable } from "../../output/table.ts";

interface VerifyFlags extends AuditOptions {
  readonly live: boolean;
  readonly since?: string;
  readonly key?: readonly string[];
}

/** Adds `audit verify`, which proves that no event was changed, removed or reordered, and recomputes the balances. */
export function addVerifyCommand(audit: Command, context: CommandContext): void {
  audit
    .command("verify")
    .description("verify a bundle, which needs no instance, or with --live the log of the running one")
    .argument("[bundle]", "directory that `audit export` has written", parseText)
    .option("--live", "the log of the running instance, and the balances it shows", false)
    .option("--since <file>", "file with an earlier checkpoint, which the log must contain", parseText)
    .option("--key <vkey>", "trusted verifier key from another source; can be repeated", parseKey)
    .action(async (bundle: string | undefined, _options: object, command: Command) => {
      const flags = command.optsWithGlobals<VerifyFlags>();
      if (flags.live === (bundle !== undefined))
        throw wrongUsage("Name the directory of a bundle or --live, not both.");
      if (bundle !== undefined) refuseInstance(flags, "verified");
      const since = flags.since === undefined ? undefined : await readCheckpointFile(flags.since);
      const verify = (source: LogSource): Promise<Verification> =>
        verified(context, source, { ...flags, since });
      const verifyLive = async (client: AuditClient): Promise<Verified> => {
        const log = await openLiveLog(client, context.io.timing);
        return { verification: await verify(log), mended: await log.mended() };
      };
      const outcome = await refusingBundleErrors(async () =>
        bundle === undefined
          ? await askAudit(context, command, verifyLive)
          : { verification: await verify(await readBundle(bundle)), mended: [] },
      );
      reply(context.io, flags.json, answerOf(outcome, flags.key !== undefined));
    });
}

/**
 * @param done what the command does with a bundle, as a participle
 * @throws CommandFailure (2) where an instance is named, which a bundle does not need
 */
export function refuseInstance(
  { data, adminUrl, auditUrl }: AuditOptions,
  done: "verified" | "reconciled",
): void {
  const named = Object.entries({ "--data": data, "--admin-url": adminUrl, "--audit-url": auditUrl });
  const [option] = named.find(([, given]) => given !== undefined) ?? [];
  if (option === undefined) return;
  const other = done === "verified" ? "name --live" : "leave out the bundle";
  throw wrongUsage(`A bundle is ${done} without an instance: leave ${option} out, or ${other} instead.`);
}

interface Verified {
  readonly verification: Verification;
  /** Sentences about files that the instance found damaged and rebuilt. */
  readonly mended: readonly string[];
}

async function verified(
  { io }: CommandContext,
  source: LogSource,
  { key, since }: Pick<VerifyFlags, "key"> & { readonly since: string | undefined },
): Promise<Verification> {
  const bar = progressBar(io, "events");
  try {
    return await verifyLog(source, {
      ...defined({ trustedKeys: key, since }),
      onProgress: bar.report,
    });
  } finally {
    bar.end();
  }
}

function answerOf({ verification, mended }: Verified, isKeyTrusted: boolean): Answer {
  const { origin, size, findings, findingCount, totals, balances, runs } = verification;
  const euros = Object.fromEntries(
    Object.entries(totals).map(([name, cents]): [string, string] => [totalName(name), formatEuros(cents)]),
  );
  const document = {
    origin,
    size,
    key_trusted: isKeyTrusted,
    finding_count: findingCount,
    findings: findings.map((finding) => ({
      check: finding.check,
      index: finding.index ?? null,
      event: finding.event ?? null,
      message: finding.message,
      line: findingLine(finding),
    })),
    totals: euros,
    accounts: balances.size,
    runs: { ...runs },
    ...passedOverMembers(verification.passedOver),
    ...(mended.length === 0 ? {} : { mended }),
  };
  const text = [...findings.map(findingLine), ...summary(verification, isKeyTrusted), ...mended];
  const answer = { document, text: text.map((line) => `${printable(line)}\n`).join("") };
  if (findingCount === 0) return answer;
  return { ...answer, refusal: `${counted(findingCount, "finding")}.` };
}

function summary(verification: Verification, isKeyTrusted: boolean): readonly string[] {
  const { origin, size, findings, findingCount, isSealed, totals, balances, runs } = verification;
  const left = findingCount - findings.length;
  const verdict = findingCount === 0 ? "nothing is wrong" : "something is wrong";
  const { creditedCents, chargedCents, refundedCents, adjustedCents, paidOutCents } = totals;
  return [
    ...(left === 0 ? [] : [`… and ${grouped(left)} more.`]),
    `Verified ${counted(size, "event")} of ${origin}: ${verdict}.`,
    `${counted(balances.size, "account")}: ${formatEuros(creditedCents)} EUR credited, ` +
      `${formatEuros(chargedCents)} EUR charged, ${formatEuros(refundedCents)} EUR refunded${adjustedCents === 0n ? "" : `, ${formatEuros(adjustedCents)} EUR corrected by staff`}${paidOutCents === 0n ? "" : `, ${formatEuros(paidOutCents)} EUR paid out`}.`,
    `${counted(runs.started, "run")}, ${grouped(runs.unfinished)} of them unfinished.`,
    ...passedOverLines(verification.passedOver),
    ...(isSealed
      ? []
      : ["The bundle is of version 1: no signature covers its schemas, its README and its verifier."]),
    ...(isKeyTrusted
      ? []
      : ["The log's own key was trusted: name a trusted key from another source with --key."]),
  ];
}

/** Returns the skipped events of the books; empty if none. */
export function passedOverMembers({ foreignCount, foreign, mended }: PassedOver): object {
  return {
    ...(foreignCount === 0 ? {} : { foreign_event_count: foreignCount, foreign_events: foreign }),
    ...(mended.length === 0 ? {} : { passed_over: mended }),
  };
}

/** Returns the name in the answer, without the suffix `Cents`, because the value is in euros. */
function totalName(name: string): string {
  return name.replace(/Cents$/u, "").replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}
