import { counted } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";

import type { CommandContext } from "../command-context.ts";
import type { Answer } from "../output/reply.ts";
import { printable } from "../output/table.ts";
import { answerFromStaff, rebuildDeadlineMilliseconds } from "../staff/staff-command.ts";
import { addStaffOptions } from "../staff/staff-address.ts";

/** Adds `hostledger reconcile`, which compares the events with the providers' resources. */
export function addReconcileCommand(program: Command, context: CommandContext): void {
  addStaffOptions(
    program
      .command("reconcile")
      .description("compare the books with registrar, DNS, compute and stock; exit 1 if something differs")
      .option("--fix", "correct the provider according to the books, if that costs no money and no domain"),
  ).action(async ({ fix = false }: { fix?: boolean }, command: Command) => {
    await answerFromStaff(context, command, async ({ domains, servers, projections }) => {
      const options = { timeoutMs: rebuildDeadlineMilliseconds };
      // Sequential, so that no call is running when the first fails and the command ends.
      const ofDomains = await domains.reconcileDomains({ fix }, options);
      const ofServers = await servers.reconcileServers({ fix }, options);
      const { streams } = await projections.listStoppedStreams({});
      return driftAnswer([ofDomains, ofServers], streams.map(stopDifference));
    });
  });
}

type Report = admin.ReconcileDomainsResponse | admin.ReconcileServersResponse;

type ShownDifference = Omit<admin.Difference, "$typeName" | "$unknown">;

const severities = ["critical", "major", "minor"];

/** Reports a stream that stops at an unreadable event. */
function stopDifference({ stream, revision, kind, reason }: admin.StoppedStream): ShownDifference {
  const mend = `hostledger projections mend ${stream} ${String(revision)} --reason TEXT`;
  return {
    kind: "stream-stopped",
    resource: stream,
    severity: "critical",
    expected: "events that can be read",
    found: reason,
    action: kind === "newer" ? "Upgrade Hostledger." : `Find out who wrote it, then: ${mend}`,
    mended: false,
  };
}

function driftAnswer(reports: readonly Report[], stops: readonly ShownDifference[]): Answer {
  const differences = reports
    .flatMap((report): readonly ShownDifference[] => report.differences)
    .concat(stops)
    // Most severe first; within a severity in the services' order.
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  const unanswered = reports.flatMap((report) => report.unanswered);
  const unlisted = reports.flatMap((report) => report.unlisted);
  const left = differences.filter(({ mended }) => !mended);
  const lines = differences.map(sentenceOf).concat(unanswered, unlisted);
  const isClean = differences.length === 0 && unanswered.length === 0;
  const text = [...lines, ...(isClean ? ["Nothing differs."] : [])].map((line) => `${printable(line)}\n`);
  return {
    document: {
      differences: differences.map(differenceDocument),
      not_compared: [...unanswered, ...unlisted],
    },
    text: text.join(""),
    ...(left.length + unanswered.length === 0 ? {} : { refusal: refusalOf(left.length, unanswered.length) }),
  };
}

function differenceDocument({ kind, resource, severity, expected, found, action, mended }: ShownDifference) {
  return { kind, resource, severity, expected, found, action: mended ? "Mended." : action };
}

function sentenceOf(difference: ShownDifference): string {
  const { kind, resource, severity, expected, found, action } = differenceDocument(difference);
  return `${severity} ${kind} ${resource}: expected ${expected}, found ${found}. ${action}`;
}

function refusalOf(differences: number, silences: number): string {
  const differing = `${counted(differences, "thing differs", "things differ")}.`;
  return silences === 0 ? differing : `${differing} Not everything could be compared.`;
}
