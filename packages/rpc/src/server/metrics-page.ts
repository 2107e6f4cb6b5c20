import { assertNever } from "@hostledger/core";

import { tooManyFailures } from "../interceptors/failed-authentications.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";
import type { MetricsAccess, MetricsReaders } from "./metrics-access.ts";
import type { AnyRequest, AnyResponse } from "./plain-answers.ts";

export const metricsPath = "/metrics";

/** The figures that a listener shows, and to whom. The same may know the names of its parts, at `/readyz`. */
export interface MetricsPage extends MetricsReaders {
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

export interface ShownMetrics {
  readonly page: MetricsPage | undefined;
  readonly logger: RpcLogger;
  /** Decides whether the request may read the metrics. */
  readonly access: () => Promise<MetricsAccess>;
}

/**
 * Answers `GET /metrics` for valid credentials.
 * @returns false for any other path, which another handler must answer.
 */
export function answersMetrics(request: AnyRequest, response: AnyResponse, shown: ShownMetrics): boolean {
  const { page, access } = shown;
  const [path] = (request.url ?? "").split("?", 1);
  if (page === undefined || path !== metricsPath) return false;
  response.setHeader("cache-control", "no-store");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    answerText(response, 405, "The figures are read with GET.\n");
  } else {
    void access().then((found) => answerAs(found, response, { ...shown, page }));
  }
  return true;
}

async function answerAs(
  access: MetricsAccess,
  response: AnyResponse,
  { page, logger }: ShownMetrics & { readonly page: MetricsPage },
): Promise<void> {
  switch (access.kind) {
    case "allowed":
      await show(response, page, logger);
      return;
    case "forbidden":
      answerText(response, 403, "The figures are an operator's and an owner's to see.\n");
      return;
    case "unknown-credential":
      response.setHeader("www-authenticate", "Bearer");
      answerText(response, 401, "The staff credential, or the one for metrics, is missing or wrong.\n");
      return;
    case "undecided":
      response.setHeader("retry-after", "1");
      answerText(response, 503, "Whose the credential is cannot be found out now.\n");
      return;
    case "limited":
      response.setHeader("retry-after", String(access.retryAfterSeconds));
      answerText(response, 429, `${tooManyFailures(access.retryAfterSeconds)}\n`);
      return;
    default:
      assertNever(access);
  }
}

async function show(response: AnyResponse, { metrics }: MetricsPage, logger: RpcLogger): Promise<void> {
  try {
    const text = await metrics.text();
    answerText(response, 200, text, metrics.contentType);
  } catch (error) {
    logger.error({ err: error }, "the figures could not be shown");
    answerText(response, 500, "Internal error.\n");
  }
}

function answerText(response: AnyResponse, status: number, text: string, type = "text/plain"): void {
  response.statusCode = status;
  response.setHeader("content-type", type);
  response.end(text);
}
