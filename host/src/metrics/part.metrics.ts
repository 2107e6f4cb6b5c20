import { differencesOf } from "@hostledger/audit-service";
import { differenceSeverities } from "@hostledger/core";
import type { CommandStatistics, EventStore } from "@hostledger/store";
import type { KeyLosses } from "@hostledger/store/personal-data";
import type { ProjectionHealth } from "@hostledger/read";
import type { Clock, Metrics } from "@hostledger/runtime";

import type { Audit } from "../audit.ts";
import type { ClockWatch } from "../clock-watch.ts";
import type { StoreWatch } from "../store-watch.ts";
import type { StartedService } from "../services.ts";

/** Sources of the metrics: the services of a process by name, and the audit log if it is here. */
export type MeteredServices = Readonly<
  Record<
    string,
    Pick<
      StartedService,
      "projector" | "commands" | "runFigures" | "lastComparison" | "documentsWaiting" | "documentsDamaged"
    > &
      Partial<Pick<Audit, "log" | "scrub">>
  >
>;

export interface MeteredContext {
  readonly store: Pick<EventStore, "lastPosition">;
  readonly clock: Pick<Clock, "epochMilliseconds">;
  readonly clockWatch: Pick<ClockWatch, "state">;
  readonly storeWatch: Pick<StoreWatch, "state">;
  readonly subjectKeys: { readonly losses: Pick<KeyLosses, "list"> };
}

/** Registers the metrics of the services, which are read when a collector asks. */
export function meterServices(metrics: Metrics, services: MeteredServices, context: MeteredContext): void {
  meterProjections(metrics, services, context);
  meterCommands(metrics, services);
  meterRuns(metrics, services, context);
  meterComparisons(metrics, services);
  meterDocuments(metrics, services);
  meterAuditLog(metrics, services);
  meterScrub(metrics, services);
  metrics.gauge(
    "hostledger_subject_keys_missing",
    "Keys of personal data that are missing, each with the texts that do not open without it.",
    () => context.subjectKeys.losses.list().length,
  );
  metrics.gauge(
    "hostledger_clock_trusted",
    "1 while the clock may be acted upon, 0 until staff confirm it.",
    () => flag(context.clockWatch.state() === "trusted"),
  );
  metrics.gauge(
    "hostledger_store_rewound",
    "1 while the event store is an older backup that staff have not accepted, so nothing that costs money is written.",
    () => flag(context.storeWatch.state() !== "reachable"),
  );
}

function meterProjections(metrics: Metrics, services: MeteredServices, { store }: MeteredContext): void {
  const labels = ["service", "projection"] as const;
  const each = (value: (health: ProjectionHealth) => number) =>
    Object.entries(services).flatMap(([service, { projector }]) =>
      projector
        .health()
        .map((health) => ({ labels: { service, projection: health.name }, value: value(health) })),
    );
  metrics.gauges(
    "hostledger_projection_parked",
    "1 while the tables of a read model cannot be built.",
    labels,
    () => each(({ state }) => flag(state === "parked")),
  );
  metrics.gauges(
    "hostledger_projection_stopped_streams",
    "Streams whose rows stand still in a read model before an event that cannot be read.",
    labels,
    () =>
      Object.entries(services).flatMap(([service, { projector }]) => {
        const stops = projector.stopped();
        return projector.health().map(({ name: projection }) => ({
          labels: { service, projection },
          value: stops.filter((stop) => stop.projection === projection).length,
        }));
      }),
  );
  metrics.gauges(
    "hostledger_foreign_events",
    "Events of other software that the read models of a service have passed over since the process started.",
    ["service"],
    () =>
      Object.entries(services).map(([service, { projector }]) => ({
        labels: { service },
        value: projector.foreignEvents(),
      })),
  );
  metrics.gauges("hostledger_projection_rebuilding", "1 while a read model is built anew.", labels, () =>
    each(({ state }) => flag(state === "rebuilding")),
  );
  metrics.gauges(
    "hostledger_projection_lag",
    "Distance of a read model from the end of the log, in positions of the log.",
    labels,
    async () => {
      const last = (await store.lastPosition()) ?? 0n;
      return each(({ state, position = 0n }) =>
        state === "live" || position >= last ? 0 : Number(last - position),
      );
    },
  );
}

function meterCommands(metrics: Metrics, services: MeteredServices): void {
  const figures: readonly [string, string, (statistics: CommandStatistics) => number][] = [
    ["hostledger_commands", "Commands taken in since the start.", ({ commands }) => commands],
    ["hostledger_command_appends", "Appends of decided commands since the start.", ({ appends }) => appends],
    [
      "hostledger_command_conflicts",
      "Appends that found the stream elsewhere.",
      ({ conflicts }) => conflicts,
    ],
    ["hostledger_actors", "Streams whose state is in memory.", ({ cachedStreams }) => cachedStreams],
  ];
  for (const [name, help, value] of figures)
    metrics.gauges(name, help, ["service"], () =>
      Object.entries(services).map(([service, { commands }]) => ({
        labels: { service },
        value: value(commands.statistics()),
      })),
    );
}

function meterRuns(metrics: Metrics, services: MeteredServices, { clock }: MeteredContext): void {
  const labels = ["process", "status"] as const;
  const each = async () => {
    const asked = Object.values(services).flatMap(({ runFigures }) => runFigures ?? []);
    return (await Promise.all(asked.map((runFigures) => runFigures()))).flat();
  };
  metrics.gauges("hostledger_runs", "Process runs that have not ended.", labels, async () =>
    (await each()).map(({ process, status, runs }) => ({ labels: { process, status }, value: runs })),
  );
  metrics.gauges(
    "hostledger_run_oldest_seconds",
    "Age of the oldest run that has not ended.",
    labels,
    async () =>
      (await each()).map(({ process, status, oldestStartedAt }) => ({
        labels: { process, status },
        value: Math.max(0, (clock.epochMilliseconds() - Date.parse(oldestStartedAt)) / 1_000),
      })),
  );
}

function meterComparisons(metrics: Metrics, services: MeteredServices): void {
  const each = async () => {
    const asked = Object.values(services).flatMap(({ lastComparison }) => lastComparison ?? []);
    return (await Promise.all(asked.map((lastComparison) => lastComparison()))).filter(
      (last) => last !== undefined,
    );
  };
  metrics.gauges(
    "hostledger_books_differences",
    "Differences between the books and what providers hold that the last comparison found.",
    ["part", "severity"],
    async () =>
      (await each()).flatMap((last) =>
        differenceSeverities.map((severity) => ({
          labels: { part: last.part, severity },
          value: last[severity],
        })),
      ),
  );
  metrics.gauges(
    "hostledger_books_compared_timestamp",
    "When the books were compared with what providers hold, in seconds since 1970; nothing before that.",
    ["part"],
    async () =>
      (await each()).map(({ part, comparedAt }) => ({
        labels: { part },
        value: Date.parse(comparedAt) / 1_000,
      })),
  );
}

function meterDocuments(metrics: Metrics, services: MeteredServices): void {
  const archiving = Object.values(services).find((service) => service.documentsWaiting);
  const { documentsWaiting: waiting, documentsDamaged: damaged } = archiving ?? {};
  if (waiting === undefined || damaged === undefined) return;
  metrics.gauges(
    "hostledger_documents_waiting",
    "Issued documents whose files are not archived yet.",
    [],
    async () => [{ labels: {}, value: await waiting() }],
  );
  metrics.gauge(
    "hostledger_documents_damaged",
    "Archived files of documents that were damaged or missing when this process last compared them.",
    damaged,
  );
}

function meterAuditLog(metrics: Metrics, services: MeteredServices): void {
  const log = Object.values(services).find((service) => service.log !== undefined)?.log;
  if (log === undefined) return;
  metrics.gauges(
    "hostledger_audit_log_state",
    "1 for the state that the audit log is in: following, failing or stopped.",
    ["state"],
    () => [{ labels: { state: log.health().status }, value: 1 }],
  );
  metrics.gauges(
    "hostledger_audit_log_lag",
    "Distance of the audit log from the end of the store, in positions of the store.",
    [],
    async () => [{ labels: {}, value: Number(await log.behind()) }],
  );
  metrics.gauges("hostledger_audit_log_entries", "Entries of the audit log.", ["stage"], () => [
    { labels: { stage: "taken" }, value: log.size },
    { labels: { stage: "signed" }, value: log.checkpoint().size },
  ]);
}

function meterScrub(metrics: Metrics, services: MeteredServices): void {
  const scrub = Object.values(services).find((service) => service.scrub !== undefined)?.scrub;
  if (scrub === undefined) return;
  metrics.gauge(
    "hostledger_scrub_compared",
    "Events of the present round that were compared with the audit log.",
    () => scrub.state().place.index,
  );
  metrics.gauge(
    "hostledger_scrub_differences",
    "Events that are not those of the audit log, and faults of the store's file, as far as they are known.",
    () => differencesOf(scrub.state()) + scrub.state().fileProblems.length,
  );
  metrics.gauge(
    "hostledger_scrub_round_timestamp",
    "When the last full round ended, in seconds since 1970; 0 before that.",
    () => Date.parse(scrub.state().roundEndedAt ?? "1970-01-01") / 1_000,
  );
}

function flag(isTrue: boolean): number {
  return isTrue ? 1 : 0;
}
