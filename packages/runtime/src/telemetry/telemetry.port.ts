import type { Logger } from "../logging.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracing } from "../tracing.ts";
import type { TelemetryConfiguration } from "./telemetry.settings.ts";

/** What sends a process's telemetry. */
export interface TelemetryOptions {
  readonly configuration: TelemetryConfiguration;
  /** What this part is called where nobody named it otherwise. */
  readonly serviceName: string;
  readonly logger: Pick<Logger, "warn">;
  readonly metrics: Pick<Metrics, "readings">;
}

/** What is sent of a process. */
export interface Telemetry {
  /** Undefined where no collector wants traces. */
  readonly tracing: Tracing | undefined;
  /** Hands over what is left, for a bounded time. */
  close(): Promise<void>;
}
