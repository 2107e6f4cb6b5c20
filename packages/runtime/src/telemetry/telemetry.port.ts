import type { Logger } from "../logging.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracing } from "../tracing.ts";
import type { TelemetryConfiguration } from "./telemetry.settings.ts";

export interface TelemetryOptions {
  readonly configuration: TelemetryConfiguration;
  /** Default name of this part. */
  readonly serviceName: string;
  readonly logger: Pick<Logger, "warn">;
  readonly metrics: Pick<Metrics, "readings">;
}

export interface Telemetry {
  /** Undefined if no collector receives traces. */
  readonly tracing: Tracing | undefined;
  /** Exports remaining data within a time limit. */
  close(): Promise<void>;
}
