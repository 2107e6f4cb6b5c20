import type { ProjectorLogger } from "./projector.ts";
import type { RebuildReport } from "./rebuild.ts";

export function logRebuild(logger: ProjectorLogger | undefined, report: RebuildReport): void {
  const troubled = report.failure !== undefined || report.equal === false;
  const message = report.failure ?? (troubled ? "rebuilt; the old tables differed" : "rebuilt");
  logger?.[troubled ? "warn" : "info"](report, message);
}
