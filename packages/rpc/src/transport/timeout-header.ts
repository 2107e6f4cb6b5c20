import type { IncomingHttpHeaders } from "node:http";

import { longestTimerMs } from "@hostledger/runtime/async";

export const connectTimeoutHeader = "connect-timeout-ms";
const grpcTimeoutHeader = "grpc-timeout";

const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** A time limit as Connect writes it, in milliseconds; undefined where it is none. */
function connectTimeout(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** A time limit as gRPC writes it, in milliseconds; undefined where it is none. */
function grpcTimeout(text: string): number | undefined {
  const { amount, unit } = /^(?<amount>\d{1,8})(?<unit>[HMSmun])$/.exec(text)?.groups ?? {};
  const factor = unit === undefined ? undefined : unitMs[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** The caller's time limit in milliseconds, as Connect or gRPC wrote it; undefined when there is none to be read. */
export function timeoutOf(header: Headers): number | undefined {
  const connect = header.get(connectTimeoutHeader);
  return connect === null ? grpcTimeout(header.get(grpcTimeoutHeader) ?? "") : connectTimeout(connect);
}

/**
 * Limits a timeout to the maximum of a timer: Connect sets a timer of the caller's length, and one that is too long
 * fires at once.
 */
export function shortenTimeout(headers: IncomingHttpHeaders): void {
  const { [connectTimeoutHeader]: connect, [grpcTimeoutHeader]: grpc } = headers;
  if (isTooLong(connectTimeout(String(connect)))) headers[connectTimeoutHeader] = String(longestTimerMs);
  if (isTooLong(grpcTimeout(String(grpc)))) headers[grpcTimeoutHeader] = `${String(longestHours)}H`;
}

const longestHours = Math.floor(longestTimerMs / 3_600_000);

function isTooLong(timeoutMs = 0): boolean {
  return timeoutMs > longestTimerMs;
}
